import type { RoleDefinition } from "@uncaged/workflow-runtime";
import { describe, expect, it } from "vitest";
import { type CoderMeta, coder } from "./coder.ts";
import { type CommitterMeta, committer } from "./committer.ts";
import { type PlannerMeta, planner } from "./planner.ts";
import { type ReviewerMeta, reviewer } from "./reviewer.ts";
import { type TesterMeta, tester } from "./tester.ts";

const HASH = "0PARSE0000000";

/** What is wrong with a meta; empty when it fits. */
function faults<Meta extends Record<string, unknown>>(
  role: RoleDefinition<Meta>,
  meta: unknown,
): string[] {
  return role.schema.safeParse(meta).error?.issues.map(({ message }) => message) ?? [];
}

describe("the planner's result", () => {
  const plan: PlannerMeta = {
    status: "planned",
    phases: [{ hash: HASH, title: "Parse" }],
    reason: null,
  };

  it("is a list of phases, each named by the hash of its text", () => {
    expect(faults(planner, plan)).toEqual([]);
    expect(faults(planner, { ...plan, phases: [{ hash: "phase 1", title: "Parse" }] })).toEqual([
      "must be a hash that `uncaged-workflow cas put` printed",
    ]);
  });

  it("has at least one phase unless it is aborted", () => {
    expect(faults(planner, { ...plan, phases: [] })).toEqual(["a plan has at least one phase"]);
    expect(faults(planner, { status: "aborted", phases: [], reason: "no repository" })).toEqual([]);
  });

  it("does not name one text as two phases", () => {
    const phases = [
      { hash: HASH, title: "Parse" },
      { hash: HASH, title: "Parse again" },
    ];
    expect(faults(planner, { ...plan, phases })).toEqual([
      "two phases have the same text, so completing one would complete both",
    ]);
  });

  it("says why when it is aborted", () => {
    const meta = { status: "aborted", phases: [], reason: null };
    expect(faults(planner, meta)).toEqual(["an aborted plan says why"]);
  });
});

describe("the coder's result", () => {
  const work: CoderMeta = { completedPhase: HASH, summary: "parses", changedFiles: ["parse.ts"] };

  it("names the completed phase, or none", () => {
    expect(faults(coder, work)).toEqual([]);
    expect(faults(coder, { ...work, completedPhase: null })).toEqual([]);
    expect(faults(coder, { ...work, completedPhase: "all" })).not.toEqual([]);
  });

  it("says what was done", () => {
    expect(faults(coder, { ...work, summary: " \n" })).toEqual(["must not be blank"]);
  });
});

describe("the reviewer's result", () => {
  const finding: ReviewerMeta["findings"][number] = { place: "a.ts:1", problem: "wrong" };

  it("rejects only with a finding", () => {
    expect(faults(reviewer, { status: "rejected", findings: [finding] })).toEqual([]);
    expect(faults(reviewer, { status: "rejected", findings: [] })).toEqual([
      "a rejection names at least one finding",
    ]);
  });

  it("approves without one", () => {
    expect(faults(reviewer, { status: "approved", findings: [] })).toEqual([]);
  });
});

describe("the tester's result", () => {
  const run = (exitCode: number): TesterMeta["commands"][number] => ({
    command: "npm test",
    exitCode,
  });

  it("passes only what was run and exited with 0", () => {
    expect(faults(tester, { status: "passed", commands: [run(0)], failure: null })).toEqual([]);
    expect(faults(tester, { status: "passed", commands: [], failure: null })).toEqual([
      "tests that passed were run: name the commands",
    ]);
    expect(faults(tester, { status: "passed", commands: [run(0), run(1)], failure: null })).toEqual(
      ["a command that exited with another code than 0 did not pass"],
    );
  });

  it("says what failed, even if nothing could be run", () => {
    expect(faults(tester, { status: "failed", commands: [], failure: "no npm" })).toEqual([]);
    expect(faults(tester, { status: "failed", commands: [run(1)], failure: null })).toEqual([
      "a failed test run says what failed",
    ]);
  });
});

describe("the committer's result", () => {
  const done: CommitterMeta = { commit: "a".repeat(40), message: "fix: parse", reason: null };

  it("names the commit in full", () => {
    expect(faults(committer, done)).toEqual([]);
    expect(faults(committer, { ...done, commit: "a".repeat(64) })).toEqual([]);
    expect(faults(committer, { ...done, commit: "aaaaaaa" })).toEqual([
      "must be the full name that git rev-parse HEAD prints",
    ]);
  });

  it("says why when there is none", () => {
    expect(faults(committer, { ...done, commit: null, reason: "the hook failed" })).toEqual([]);
    expect(faults(committer, { ...done, commit: null })).toEqual([
      "without a commit, say why there is none",
    ]);
  });
});
