import { expect, test, vi } from "vitest";
import { openStage, standIn } from "./fake-step.test.helper.ts";

vi.setConfig({ testTimeout: 60_000 });

const MIB = 1024 * 1024;

test("noise among the messages is skipped, and not printed by us", async () => {
  const printed = vi.spyOn(console, "error");
  const { conversation } = await openStage(standIn());
  expect(await conversation.turn("noise")).toMatchObject({ outcome: "ok", text: "quiet again" });
  expect(printed).not.toHaveBeenCalled();
});

test("unknown or meaningless requests are answered", async () => {
  const printed = vi.spyOn(console, "error");
  const { conversation } = await openStage(standIn());
  const turn = await conversation.turn("hostile");
  const notMade = '{"outcome":{"outcome":"cancelled"}}';
  expect(turn.text).toBe(`${notMade} ${notMade} refused -32601,-32601,-32601`);
  expect(printed).not.toHaveBeenCalled();
});

test("three hundred megabytes of answer take no more memory than its end", async () => {
  const { conversation, events } = await openStage(standIn());
  const peak = watchMemory();
  const turn = await conversation.turn("flood");
  expect(turn.outcome).toBe("ok");
  expect(turn.text.length).toBeLessThanOrEqual(MIB);
  expect(turn.text.endsWith('{"flooded":true}')).toBe(true);
  expect(peak()).toBeLessThan(200 * MIB);
  expect(JSON.stringify(events).length).toBeLessThan(2 * MIB);
});

test("a line of forty megabytes is dropped", async () => {
  const { conversation } = await openStage(standIn());
  expect((await conversation.turn("flood-line")).text).toBe("after the line");
});

test("tool calls that never end use bounded memory", async () => {
  const { conversation, calls } = await openStage(standIn());
  const peak = watchMemory();
  expect((await conversation.turn("flood-calls")).text).toBe("so many");
  expect(calls).toEqual([]);
  expect(peak()).toBeLessThan(200 * MIB);
});

test("an agent that keeps asking without reading the answers is ended", async () => {
  const { conversation, running } = await openStage(standIn());
  expect(await conversation.turn("ask-without-end")).toMatchObject({
    outcome: "crashed",
    reason: expect.stringContaining("without reading the answers"),
  });
  expect(running()).toBe(0);
});

/** Returns the largest growth of memory, in bytes. */
function watchMemory(): () => number {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  return () => {
    clearInterval(timer);
    return most - before;
  };
}
