import type { AgentEvent, LiveEvent } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { styleOf } from "../../terminal/style.ts";
import { type LiveDetail, liveView } from "./live-view.ts";

const plain = styleOf({ color: false, columns: null });
const stamp = { threadId: "T", timestamp: 1_716_000_000_123 };

type StepEvent = Extract<LiveEvent, { role: string }>;

function agent(event: AgentEvent): StepEvent {
  return { ...stamp, type: "agent", role: "coder", round: 2, event };
}

const says = (text: string): StepEvent => agent({ type: "text", text });
const started: StepEvent = {
  ...stamp,
  type: "step_started",
  role: "coder",
  round: 2,
  condition: "rejected",
  said: null,
};
const completed: StepEvent = {
  ...stamp,
  type: "step_completed",
  role: "coder",
  round: 2,
  stateHash: "H",
  meta: { done: true },
};

function shown(events: readonly LiveEvent[], detail: LiveDetail = "usual"): string {
  const view = liveView(plain, detail);
  return events.map(view).join("");
}

describe("live output", () => {
  it("joins an agent's text from its pieces, and starts a new line for everything else", () => {
    expect(shown([started, says("Half a "), says("sentence"), completed])).toBe(
      '#2 coder (rejected)\nHalf a sentence\ndone #2 coder  0 ms  {"done":true}\n',
    );
  });

  it("says how long a step took and what its agent used, if it was watched from its beginning", () => {
    const usage = { inputTokens: 1_000, outputTokens: 200, cachedInputTokens: 0, costUsd: 0.01 };
    const used: LiveEvent[] = [agent({ type: "usage", usage }), agent({ type: "usage", usage })];
    const late = { ...completed, timestamp: completed.timestamp + 62_000 };
    expect(shown([started, ...used, late])).toBe(
      '#2 coder (rejected)\ndone #2 coder  1 min  2.4k tokens  $0.0200  {"done":true}\n',
    );
    expect(shown([started, completed, started, completed])).not.toContain("tokens");
  });

  it("keeps members of a group apart when they speak at the same time", () => {
    const members = [0, 1].map((index) => {
      const group = { name: "reviews", entry: 1, index, of: 2 };
      return (event: StepEvent): StepEvent => ({ ...event, group });
    });
    const [one = () => started, other = () => started] = members;
    const late = { ...completed, timestamp: completed.timestamp + 2_000 };
    const events = [
      one(started),
      other(started),
      one(says("It ")),
      one(says("is")),
      other(says("No")),
    ];
    expect(shown([...events, one(late), { ...late, round: 3 }])).toBe(
      "#2 coder [reviews 1/2] (rejected)\n#2 coder [reviews 2/2] (rejected)\n" +
        "coder [reviews 1/2]:\nIt is\ncoder [reviews 2/2]:\nNo\n" +
        'done #2 coder [reviews 1/2]  2.0 s  {"done":true}\ndone #3 coder  {"done":true}\n',
    );
  });

  it("does not add a line where the agent ended its own", () => {
    expect(shown([says("line\n"), completed])).toBe('line\ndone #2 coder  {"done":true}\n');
  });

  it("says what the engine's own models did", () => {
    const asked: LiveEvent = {
      ...{ threadId: "T", timestamp: 0, type: "asked", role: "lead" },
      ...{ message: "Fine?\u001b[2J", group: { name: "reviews", entry: 1, index: 2, of: 3 } },
    };
    expect(shown([asked])).toBe(
      "asks lead [reviews 3/3]: Fine?␛[2J\nanswer in another terminal: uncaged-workflow answer T\n",
    );
    const note: LiveEvent = {
      ...stamp,
      type: "note",
      about: "supervisor",
      message: "continue: it gets on\n\u001b[2J",
      usage: null,
    };
    expect(shown([says("half a line"), note])).toBe(
      "half a line\nsupervisor: continue: it gets on ␛[2J\n",
    );
  });

  it("shows an agent's control characters instead of obeying them", () => {
    expect(shown([says("\u001b]0;owned\u0007")])).toBe("␛]0;owned␇");
  });

  it("names the tools that are used, and how they fail", () => {
    const tools: LiveEvent[] = [
      agent({ type: "tool", phase: "start", id: "1", name: "bash", input: { command: "ls\n-la" } }),
      agent({ type: "tool", phase: "end", id: "1", name: "bash", ok: true }),
      agent({ type: "tool", phase: "end", id: "2", name: "edit", ok: false }),
    ];
    expect(shown(tools)).toBe('> bash {"command":"ls\\n-la"}\n< edit failed\n');
  });

  it("leaves out what only debugging needs", () => {
    const quiet: LiveEvent[] = [
      agent({ type: "started", agent: "x", session: null }),
      agent({ type: "permission", tool: "bash", allowed: true, reason: "policy" }),
      agent({ type: "end", outcome: "ok", reason: "" }),
    ];
    expect(shown(quiet)).toBe("");
    expect(shown(quiet, "all").split("\n")).toEqual([
      '02:40:00.123 {"type":"started","agent":"x","session":null}',
      "02:40:00.123 allowed bash: policy",
      "02:40:00.123 agent ended: ok",
      "",
    ]);
  });

  it("says what was denied, what is retried, and how an agent failed", () => {
    const bad: LiveEvent[] = [
      agent({ type: "permission", tool: "bash", allowed: false, reason: "policy" }),
      agent({ type: "retry", reason: "rate limit", delayMs: 500 }),
      agent({ type: "end", outcome: "timeout", reason: "no output for 60 s" }),
    ];
    expect(shown(bad)).toBe(
      "denied bash: policy\nretry in 500 ms: rate limit\nagent ended: timeout no output for 60 s\n",
    );
  });

  it("shows what a person said to a role in place of the table's prompt", () => {
    const answered = { ...started, condition: "ANSWER", said: "The second\n\u001b[2Jone" };
    expect(shown([answered])).toBe("#2 coder (ANSWER)\n  a person said: The second ␛[2Jone\n");
  });

  it("says which events are gone", () => {
    const view = liveView(plain, "usual");
    expect(view(says("half a line"))).toBe("half a line");
    expect(view({ type: "gap", threadId: "T", from: 3, to: 90 })).toBe(
      "\nevents 3 to 90 cannot be read any more\n",
    );
  });

  it("ends with the thread's status and its summary", () => {
    expect(shown([{ ...stamp, type: "status", status: "completed", summary: "All done." }])).toBe(
      "completed: All done.\n",
    );
    expect(shown([{ ...stamp, type: "status", status: "paused", summary: null }])).toBe("paused\n");
  });
});
