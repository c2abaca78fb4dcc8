import type { AgentEvent, LiveEvent } from "@uncaged/workflow-protocol";
import { memoryLiveLog } from "@uncaged/workflow-store";
import { expect, it } from "vitest";
import { threadActivity } from "./thread-activity.ts";

const THREAD = "01M7Z9WNCVHA4DP8Y98XX3ZSRG";

const started = (round: number, timestamp: number): LiveEvent => ({
  ...{ threadId: THREAD, timestamp, type: "step_started", role: "coder", round },
  ...{ condition: null, said: null },
});
const completed = (round: number, timestamp: number): LiveEvent => ({
  ...{ threadId: THREAD, timestamp, type: "step_completed", role: "coder", round },
  ...{ stateHash: "EYHPV6X8XHTCS", meta: { done: true } },
});
const agent = (round: number, timestamp: number, event: AgentEvent): LiveEvent => ({
  ...{ threadId: THREAD, timestamp, type: "agent", role: "coder", round, event },
});
const call = (id: string): AgentEvent => ({
  ...{ type: "tool", phase: "start", id, name: "Read", input: { file: `${id}.ts` } },
});
const back = (id: string, ok: boolean): AgentEvent => ({
  ...{ type: "tool", phase: "end", id, name: "Read", ok },
});
const text = (words: string): AgentEvent => ({ type: "text", text: words });

function activityOf(events: readonly LiveEvent[]) {
  const live = memoryLiveLog({ totalBytes: 50_000_000 });
  const writer = live.writer({ threadId: THREAD, fence: 1 });
  for (const event of events) writer.append(event);
  return threadActivity(live, THREAD);
}

it("says who is at work, since when, and what has not returned yet", async () => {
  const activity = await activityOf([
    started(1, 10),
    agent(1, 11, { type: "started", agent: "claude", session: null }),
    agent(1, 12, call("a")),
    agent(1, 13, call("b")),
    agent(1, 14, back("b", false)),
  ]);
  expect(activity).toMatchObject({ role: "coder", round: 1, agent: "claude", since: 10 });
  expect(activity?.current).toEqual({
    ...{ type: "tool_start", role: "coder", round: 1, tool: "Read", timestamp: 12 },
    text: '{"file":"a.ts"}',
  });
  expect(activity?.recent.map(({ type }) => type)).toEqual(["tool_start", "tool_start", "error"]);
});

it("puts together what an agent says in pieces, and keeps the end of a long text", async () => {
  const words = Array.from({ length: 300 }, (_each, at) => agent(1, 11 + at, text(`w${at} `)));
  const activity = await activityOf([started(1, 10), ...words]);
  expect(activity?.recent).toHaveLength(1);
  expect(activity?.current).toMatchObject({ type: "text", timestamp: 11 });
  expect(activity?.current?.text).toMatch(/ w299 $/);
  expect(activity?.current?.text.length).toBeLessThanOrEqual(200);
});

it("returns the latest ten, those of earlier steps as well", async () => {
  const tools = Array.from({ length: 6 }, (_each, at) => [
    agent(2, 20 + at, call(`${at}`)),
    agent(2, 20 + at, back(`${at}`, true)),
  ]).flat();
  const few = await activityOf([
    started(1, 1),
    completed(1, 2),
    started(2, 3),
    ...tools.slice(0, 2),
  ]);
  expect(few?.recent).toMatchObject([
    { round: 1, type: "result", text: '{"done":true}' },
    { round: 2, type: "tool_start" },
    { round: 2, type: "result", tool: "Read" },
  ]);
  expect(few?.current).toBeNull();
  const many = await activityOf([started(1, 1), completed(1, 2), started(2, 3), ...tools]);
  expect(many?.recent).toHaveLength(10);
  expect(many?.recent.every(({ round }) => round === 2)).toBe(true);
});

it("finds the step under way behind thousands of events", async () => {
  const talk = Array.from({ length: 9_000 }, (_each, at) => agent(1, 11, call(`${at}`)));
  expect(await activityOf([started(1, 10), ...talk])).toMatchObject({ round: 1, since: 10 });
});

it("has nothing to say between steps, and of a thread that never ran", async () => {
  expect(await activityOf([])).toBeNull();
  expect(await activityOf([started(1, 1), completed(1, 2)])).toBeNull();
  const idle: LiveEvent = {
    ...{ threadId: THREAD, timestamp: 3, type: "status", status: "idle", summary: null },
  };
  expect(await activityOf([started(1, 1), agent(1, 2, call("a")), idle])).toBeNull();
});
