import type { AgentEvent, LiveEvent } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { heard, type LiveSteps } from "./live-steps.ts";

const at = { threadId: "t", timestamp: 1 };
const started = (
  role: string,
  group?: { name: string; entry: number; index: number; of: number },
): LiveEvent => ({
  ...at,
  type: "step_started",
  role,
  round: 1,
  condition: null,
  said: null,
  ...(group === undefined ? {} : { group }),
});
const agent = (role: string, event: AgentEvent): LiveEvent => ({
  ...at,
  type: "agent",
  role,
  round: 1,
  event,
});
const say = (text: string) => agent("coder", { type: "text", text });

test("words come together, tools get their end, and the step goes when it is stored", () => {
  let now: LiveSteps = heard([], [started("coder"), say("Hel"), say("lo")]);
  now = heard(now, [
    agent("coder", {
      type: "tool",
      phase: "start",
      id: "1",
      name: "Bash",
      input: { command: "ls" },
    }),
    agent("coder", { type: "tool", phase: "end", id: "1", name: "Bash", ok: false }),
    say("!"),
  ]);
  expect(now[0]?.parts).toMatchObject([
    { kind: "text", text: "Hello" },
    { kind: "tool", name: "Bash", state: "failed" },
    { kind: "text", text: "!" },
  ]);
  const done: LiveEvent = {
    ...at,
    type: "step_completed",
    role: "coder",
    round: 1,
    stateHash: "S",
    meta: {},
  };
  expect(heard(now, [done])).toEqual([]);
});

test("members of a group are under way together, and the step behind it alone", () => {
  const group = { name: "g", entry: 1, index: 0, of: 2 };
  const both = heard([], [started("r", group), started("r", { ...group, index: 1 })]);
  expect(both.map((step) => step.group?.index)).toEqual([0, 1]);
  expect(heard(both, [started("judge")]).map(({ role }) => role)).toEqual(["judge"]);
});

test("an agent that talks for days takes a bounded room, and says how much is not shown", () => {
  const tool = (n: number) =>
    agent("coder", {
      type: "tool",
      phase: "start",
      id: String(n),
      name: "x".repeat(10),
      input: "y".repeat(9_000),
    });
  const [step] = heard([], [started("coder"), ...Array.from({ length: 5_000 }, (_, n) => tool(n))]);
  expect(step?.parts).toHaveLength(300);
  expect(step?.dropped).toBe(4_700);
  const ids = step?.parts.map(({ id }) => id) ?? [];
  expect(new Set(ids).size).toBe(300);
  const [long] = heard([], [started("coder"), say("z".repeat(8_000_000))]);
  expect(JSON.stringify(long).length).toBeLessThan(21_000);
});

test("a thread that rests has nothing under way", () => {
  const now = heard(
    [],
    [started("coder"), { ...at, type: "status", status: "paused", summary: null }],
  );
  expect(now).toEqual([]);
});
