import { END } from "@uncaged/workflow-runtime";
import {
  answers,
  expectEveryEdge,
  expectRoute,
  fails,
  type RunResult,
  runWorkflow,
  type Scripts,
  scripted,
} from "@uncaged/workflow-testkit";
import { describe, expect, it } from "vitest";
import { developProvenBy, developUncheckedDefinition } from "./definition.ts";
import { withParallelReviews } from "./parallel-reviews.ts";
import type { DevelopMeta } from "./roles.ts";

const definition = withParallelReviews(developUncheckedDefinition);

const HASH = "0PARSE0000000";
const planned: DevelopMeta["planner"] = {
  status: "planned",
  phases: [{ hash: HASH, title: "Parse the file" }],
  reason: null,
};
const coded: DevelopMeta["coder"] = {
  completedPhase: HASH,
  summary: "did it",
  changedFiles: ["src/parse.ts"],
};
const approved: DevelopMeta["reviewer"] = { status: "approved", findings: [] };
const passed: DevelopMeta["tester"] = {
  status: "passed",
  commands: [{ command: "npm test", exitCode: 0 }],
  failure: null,
};
const committed: DevelopMeta["committer"] = {
  commit: "c0ffee".padEnd(40, "0"),
  message: "feat: parse",
  reason: null,
};

function rejected(...findings: [place: string, problem: string][]): DevelopMeta["reviewer"] {
  return {
    status: "rejected",
    findings: findings.map(([place, problem]) => ({ place, problem })),
  };
}

function develop(scripts: Partial<Scripts<DevelopMeta>>): Promise<RunResult> {
  const end = { planner: [planned], tester: [passed], committer: [committed] };
  return runWorkflow(definition, {
    prompt: "parse files",
    agents: scripted({ ...end, coder: [coded], ...scripts }),
  });
}

const approvedRun = (): Promise<RunResult> => develop({ reviewer: [approved, approved, approved] });

const INJECTION = rejected(["src/parse.ts:3", "a file name with `;` runs a command"]);
const rejectedRun = (): Promise<RunResult> =>
  develop({
    coder: [coded, coded],
    reviewer: [
      rejected(["src/parse.ts:12", "an empty file must give an empty table"]),
      INJECTION,
      approved,
      ...[approved, approved, approved],
    ],
  });

/** One of three reviews is no answer. */
const failedRun = (): Promise<RunResult> =>
  develop({ reviewer: [approved, fails("the provider is away"), approved, approved] });

describe("develop with parallel reviews", () => {
  it("tests what all three approved", async () => {
    const run = await approvedRun();
    expectRoute(run, ["planner", "coder", "reviews", "tester", "committer", END]);
    expect(run.steps.filter(({ group }) => group !== undefined)).toHaveLength(3);
  });

  it("gives each reviewer a viewpoint of its own", async () => {
    const prompts: string[] = [];
    const heard = answers((_, { step }) => {
      prompts.push(step.route?.prompt ?? "");
      return approved;
    });
    await develop({ reviewer: [heard, heard, heard] });
    expect(prompts.map((prompt) => /Yours is (\w+)\./.exec(prompt)?.[1])).toEqual([
      "correctness",
      "security",
      "tests",
    ]);
    for (const prompt of prompts) expect(prompt).toContain(`- ${HASH} Parse the file`);
  });

  it("hands the coder what any of them found, all at once", async () => {
    const run = await rejectedRun();
    const [, corrections] = run.routes.filter(({ to }) => to === "coder");
    expect(corrections?.condition).toBe("rejected");
    expect(corrections?.prompt).toContain(
      [
        "- src/parse.ts:12: an empty file must give an empty table",
        "- src/parse.ts:3: a file name with `;` runs a command",
      ].join("\n"),
    );
  });

  it("does not take a review that failed for an approval", async () => {
    const route = ["planner", "coder", "reviews", "reviewer", "tester", "committer", END];
    expectRoute(await failedRun(), route);
  });

  it("is walked whole by the runs of this file", async () => {
    expectEveryEdge(definition, [
      await approvedRun(),
      await rejectedRun(),
      await failedRun(),
      await develop({ planner: [{ status: "aborted", phases: [], reason: "no repository" }] }),
      await develop({
        coder: [{ ...coded, completedPhase: null }, coded, coded, coded],
        reviewer: [
          ...[approved, fails("away"), approved],
          INJECTION,
          ...[approved, approved, approved, approved, approved, approved],
        ],
        tester: [{ ...passed, status: "failed", failure: "no table" }, passed],
      }),
    ]);
  });

  it("keeps what a definition asks of its coder", () => {
    const proven = withParallelReviews(developProvenBy({ tests: "^npm test$" }));
    expect(proven.roles.coder.requiredEvidence).toHaveLength(1);
  });
});
