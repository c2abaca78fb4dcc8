import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { openStage, standIn } from "./fake-step.test.helper.ts";

vi.setConfig({ testTimeout: 30_000 });

test("a turn returns the agent's last words, its session, and what it said as events", async () => {
  const { conversation, events } = await openStage(standIn());
  const turn = await conversation.turn("answer please");
  expect(turn).toMatchObject({
    outcome: "ok",
    session: "session-1",
    text: 'Thinking. {"turn":1}',
    sessionLost: false,
    denials: 0,
    usage: null,
  });
  expect(events).toContainEqual({ type: "text", text: 'Thinking. {"turn":1}' });
});

test("further turns are taken in the same process and session", async () => {
  const { conversation, running } = await openStage(standIn());
  await conversation.turn("answer");
  expect((await conversation.turn("answer")).text).toContain('{"turn":2}');
  expect(running()).toBe(1);
  await conversation.close();
  expect(running()).toBe(0);
});

test("a prompt of two megabytes arrives", async () => {
  const { conversation } = await openStage(standIn());
  const turn = await conversation.turn(`answer ${"long ".repeat(400_000)}`);
  expect(turn.outcome).toBe("ok");
});

test("a resumed session replays its past, which does not count", async () => {
  const { conversation, events, calls } = await openStage(standIn(), { session: "session-0" });
  const turn = await conversation.turn("answer");
  expect(turn).toMatchObject({ session: "session-0", text: 'Thinking. {"turn":2}' });
  expect(JSON.stringify([events, calls])).not.toContain("past");
  expect(calls).toEqual([]);
});

test.each([
  ["is not known any more", "plain", "session-9"],
  ["cannot be loaded by this agent", "forgetful", "session-0"],
])("a session that %s is reported as lost", async (_why, start, session) => {
  const { conversation, running } = await openStage(standIn(start), { session });
  expect(await conversation.turn("answer")).toMatchObject({
    sessionLost: true,
    outcome: "crashed",
  });
  expect(running()).toBe(0);
});

test("an agent that requires a login gets it, by the chosen method", async () => {
  const refused = await openStage(standIn("locked"));
  expect((await refused.conversation.turn("answer")).outcome).toBe("auth");
  const { conversation } = await openStage({ ...standIn("locked"), authMethod: "by-key" });
  expect((await conversation.turn("answer")).outcome).toBe("ok");
});

test("the chosen mode is set, and one that is not offered is a failure", async () => {
  const { conversation } = await openStage({ ...standIn(), mode: "asking" });
  expect((await conversation.turn("answer")).outcome).toBe("ok");
  const other = await openStage({ ...standIn(), mode: "wild" });
  const turn = await other.conversation.turn("answer");
  expect(turn).toMatchObject({ outcome: "crashed", reason: "it offers no mode wild" });
});

test("a tool call is recorded once, with its exit code, and is not ok when that is not 0", async () => {
  const { conversation, calls, events } = await openStage(standIn());
  await conversation.turn("run");
  expect(calls).toEqual([
    {
      id: "call-2",
      name: "npm test",
      kind: "execute",
      subject: "npm test",
      input: { command: "npm test" },
      output: "1 failed",
      ok: false,
      exitCode: 1,
      durationMs: expect.any(Number),
      timestamp: expect.any(Number),
    },
  ]);
  expect(events.filter(({ type }) => type === "tool")).toHaveLength(2);
});

test("usage is what the turn added: cost to the session's total, also to that of an earlier step", async () => {
  const { conversation } = await openStage(standIn());
  const first = await conversation.turn("spend");
  const tokens = { inputTokens: 100, outputTokens: 10, cachedInputTokens: 1 };
  expect(first.usage).toEqual({ ...tokens, costUsd: 0.25 });
  const second = await conversation.turn("spend");
  expect(second.usage).toMatchObject({ inputTokens: 200, costUsd: 0.25 });
  const later = await openStage(standIn(), {
    session: "session-0",
    previousRawUsage: first.rawUsage,
  });
  expect((await later.conversation.turn("spend")).usage?.costUsd).toBe(0.25);
});

test("an abort cancels the turn by the protocol and ends the process", async () => {
  const { conversation, abort, running } = await openStage(standIn());
  const turn = conversation.turn("hang");
  await sleep(700);
  const before = performance.now();
  abort();
  expect((await turn).outcome).toBe("cancelled");
  expect(performance.now() - before).toBeLessThan(1_900);
  expect(running()).toBe(0);
});

test("an agent that ignores all of it is killed with what it started", async () => {
  const { conversation, abort, running } = await openStage(standIn());
  const turn = conversation.turn("deaf");
  await vi.waitUntil(() => running() === 2, { timeout: 5_000 });
  abort();
  expect((await turn).outcome).toBe("cancelled");
  expect(running()).toBe(0);
});

test("an abort while the session is being opened ends it too", async () => {
  const { conversation, abort, running } = await openStage(standIn("mute"));
  const turn = conversation.turn("answer");
  await sleep(700);
  abort();
  expect((await turn).outcome).toBe("cancelled");
  expect(running()).toBe(0);
});

test("silence beyond the limit is a timeout", async () => {
  const { conversation, running } = await openStage(standIn(), { idleTimeoutMs: 1_000 });
  const turn = await conversation.turn("hang");
  expect(turn).toMatchObject({
    outcome: "timeout",
    reason: expect.stringContaining("stopped responding"),
  });
  expect(running()).toBe(0);
});

test.each(["polite", "rude"])(
  "silence is a timeout also when the agent, told to stop, is %s",
  async (deed) => {
    const { conversation } = await openStage(standIn(), { idleTimeoutMs: 1_000 });
    expect((await conversation.turn(deed)).outcome).toBe("timeout");
  },
);

test("silence between two turns is not a failure", async () => {
  // Time stands still but for the silence, so that a turn cannot be too slow.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const { conversation } = await openStage(standIn(), { idleTimeoutMs: 1_000 });
    await conversation.turn("answer");
    vi.advanceTimersByTime(1_500);
    expect((await conversation.turn("answer")).outcome).toBe("ok");
  } finally {
    vi.useRealTimers();
  }
});

test("an agent that dies in a turn fails with its last words", async () => {
  const { conversation } = await openStage(standIn());
  expect(await conversation.turn("die")).toMatchObject({
    outcome: "crashed",
    reason: "it exited with code 3; its last output: the disk is on fire",
  });
});

test("a missing program fails as the end of a turn", async () => {
  const { conversation } = await openStage({ command: "no-such-agent" });
  const turn = await conversation.turn("answer");
  expect(turn).toMatchObject({
    outcome: "crashed",
    reason: expect.stringContaining("no-such-agent"),
  });
});

test("a provider's error is recognized by its words", async () => {
  const { conversation } = await openStage(standIn());
  expect((await conversation.turn("overflow")).outcome).toBe("context_overflow");
});

test("an error that the agent hides behind a successful end is found", async () => {
  const { conversation, events } = await openStage(standIn());
  const turn = await conversation.turn("hide-error");
  expect(turn).toMatchObject({ outcome: "rate_limited", reason: expect.stringContaining("429") });
  expect(events).toContainEqual({ type: "retry", reason: "Reconnecting 1/1", delayMs: 0 });
});

test("the agent sees the step's environment and nothing else of ours", async () => {
  vi.stubEnv("CANARY_API_KEY", "canary-in-our-environment");
  vi.stubEnv("UNCAGED_CANARY", "canary-in-our-environment");
  const { conversation } = await openStage(standIn(), { env: { GIVEN: "given" } });
  const { text } = await conversation.turn("environment");
  expect(text).toContain("given");
  expect(text).not.toContain("canary-in-our-environment");
});
