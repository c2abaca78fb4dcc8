import { expect, it } from "vitest";
import { EMPTY_TURN } from "../driver/empty-turn.ts";
import { StepRecord } from "./step-record.ts";

const record = (): StepRecord =>
  new StepRecord({ agent: { name: "fake", version: "1" }, cwd: "/" }, (text) => text);

it("keeps the cost of a lost session, but neither its id nor its counters", () => {
  const made = record();
  const usage = { inputTokens: 5, outputTokens: 1, cachedInputTokens: 0, costUsd: 0.5 };
  const before = { ...EMPTY_TURN, session: "old", rawUsage: { total: 90 }, usage };
  made.turn("", { ...before, outcome: "crashed", sessionLost: true });
  made.turn("", { ...EMPTY_TURN, outcome: "crashed", session: "new" });
  const run = made.run({ hashes: [], dropped: 0 });
  expect(run).toMatchObject({ session: "new", usage });
  expect(run).not.toHaveProperty("rawUsage");
});
