import type { StepRun } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { fakeDriver } from "../testing/fake-driver.test.helper.ts";
import { fakeContext, fakeRuntime } from "../testing/fake-runtime.ts";
import { resumableSession } from "./resumable-session.ts";

const driver = fakeDriver([]);
const run = (session: string, rawUsage: number): StepRun => ({
  agent: { name: driver.name, version: "1" },
  ...{ session, prompt: null, startedAt: 1, completedAt: 2, usage: null, rawUsage },
  ...{ cwd: "/", evidence: [] },
});
const step = (session: string, rawUsage: number) => ({
  ...{
    role: "coder",
    meta: {},
    contentHash: "0".repeat(13),
    refs: [],
    timestamp: 1,
    childThread: null,
  },
  run: run(session, rawUsage),
});
const context = (...steps: ReturnType<typeof step>[]) => ({ ...fakeContext("Mend it."), steps });
const from = async (
  ctx: ReturnType<typeof context>,
  scope: { previousSession: string; replaced?: StepRun },
) => resumableSession(ctx, fakeRuntime(scope), { driver, options: {} });

describe("a step that is made again", () => {
  it("continues the session that the replaced step began", async () => {
    const replaced = run("s1", 7);
    const { from: known, note } = await from(context(), { previousSession: "s1", replaced });
    expect(known).toEqual({ session: "s1", isCopied: false, rawUsage: 7, knownSteps: 0 });
    expect(note).toBeNull();
  });

  it("is not told again what the replaced one knew, and counts from its counters", async () => {
    const replaced = run("s1", 9);
    const steps = [step("s1", 3), step("s2", 5)];
    const { from: known } = await from(context(...steps), { previousSession: "s1", replaced });
    expect(known).toMatchObject({ session: "s1", rawUsage: 9, knownSteps: 2 });
  });

  it("does not go on in a session of another agent", async () => {
    const replaced = { ...run("s1", 7), agent: { name: "another", version: "1" } };
    const begun = await from(context(), { previousSession: "s1", replaced });
    expect(begun).toEqual({ from: null, note: null });
  });
});

it("a role continues the session of its last step, and is told what came since", async () => {
  const ctx = context(step("s1", 3), step("s2", 5));
  const { from: known } = await from(ctx, { previousSession: "s1" });
  expect(known).toMatchObject({ session: "s1", rawUsage: 3, knownSteps: 1 });
});
