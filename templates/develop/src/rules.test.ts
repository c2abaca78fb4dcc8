import { END } from "@uncaged/workflow-runtime";
import {
  expectEveryEdge,
  expectRoute,
  pastStep,
  type RunResult,
  runWorkflow,
  type Scripts,
  scripted,
} from "@uncaged/workflow-testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { developUncheckedDefinition } from "./definition.ts";
import type { DevelopMeta } from "./roles.ts";
import { developTable } from "./rules.ts";

const PARSE = "0PARSE0000000";
const PRINT = "0PR1NT0000000";
const NOT_PLANNED = "0000000000000";

const planned: DevelopMeta["planner"] = {
  status: "planned",
  phases: [
    { hash: PARSE, title: "Parse the file" },
    { hash: PRINT, title: "Print the table" },
  ],
  reason: null,
};
const aborted: DevelopMeta["planner"] = {
  status: "aborted",
  phases: [],
  reason: "no such repository",
};
const approved: DevelopMeta["reviewer"] = { status: "approved", findings: [] };
const rejected: DevelopMeta["reviewer"] = {
  status: "rejected",
  findings: [
    { place: "src/parse.ts:12", problem: "an empty file must give an empty table" },
    { place: "README.md", problem: "the new option is missing" },
  ],
};
const passed: DevelopMeta["tester"] = {
  status: "passed",
  commands: [
    { command: "npm run check", exitCode: 0 },
    { command: "npm test", exitCode: 0 },
  ],
  failure: null,
};
const failed: DevelopMeta["tester"] = {
  status: "failed",
  commands: [{ command: "npm test", exitCode: 1 }],
  failure: "prints an empty table: expected '' to be '||'",
};
const committed: DevelopMeta["committer"] = {
  commit: "c0ffee".padEnd(40, "0"),
  message: "feat: print tables",
  reason: null,
};

function coded(completedPhase: string | null): DevelopMeta["coder"] {
  return { completedPhase, summary: "did it", changedFiles: ["src/parse.ts"] };
}

function develop(scripts: Scripts<DevelopMeta>): Promise<RunResult> {
  return runWorkflow(developUncheckedDefinition, {
    prompt: "print tables",
    agents: scripted(scripts),
  });
}

/** The plan is aborted; nothing else happens. */
const abortedRun = (): Promise<RunResult> => develop({ planner: [aborted] });

/** Every role is satisfied at once. */
const smoothRun = (): Promise<RunResult> =>
  develop({
    planner: [planned],
    coder: [coded(PARSE), coded(PRINT)],
    reviewer: [approved],
    tester: [passed],
    committer: [committed],
  });

/** A phase needs two steps, the reviewer rejects once, the tests fail once. */
const bumpyRun = (): Promise<RunResult> =>
  develop({
    planner: [planned],
    coder: [coded(null), coded(PARSE), coded(PRINT), coded(PARSE), coded(null)],
    reviewer: [rejected, approved, approved],
    tester: [failed, passed],
    committer: [committed],
  });

describe("the table of develop", () => {
  it("is walked whole by the runs of this file", async () => {
    expectEveryEdge(developUncheckedDefinition, [
      await abortedRun(),
      await smoothRun(),
      await bumpyRun(),
    ]);
  });

  it("ends when the planner aborts", async () => {
    expectRoute(await abortedRun(), ["planner", END]);
  });

  it("codes phase by phase, then reviews, tests and commits", async () => {
    const run = await smoothRun();
    expectRoute(run, ["planner", "coder", "coder", "reviewer", "tester", "committer", END]);
    expect(run.completion).toMatchObject({ returnCode: 0 });
  });

  it("goes back to the coder after a rejection and after a failed test", async () => {
    expectRoute(await bumpyRun(), [
      ...["planner", "coder", "coder", "coder", "reviewer"],
      ...["coder", "reviewer", "tester"],
      ...["coder", "reviewer", "tester", "committer", END],
    ]);
  });

  it("names the conditions that were met", async () => {
    const conditions = async (run: Promise<RunResult>): Promise<string[]> =>
      (await run).routes.map(({ condition }) => condition).filter((name) => name !== "FALLBACK");
    expect(await conditions(abortedRun())).toEqual(["planAborted"]);
    expect(await conditions(smoothRun())).toEqual(["allPhasesComplete", "approved", "passed"]);
  });

  it("keeps the phases of a plan as references of the planner's step", async () => {
    expect((await smoothRun()).steps[0]?.refs).toEqual([PARSE, PRINT]);
  });
});

describe("the decision whether all phases are complete", () => {
  const nextAfter = async (reported: readonly (string | null)[]): Promise<string | undefined> => {
    const unbounded = { ...developUncheckedDefinition, limits: { steps: 100_000 } };
    const run = await runWorkflow(unbounded, {
      prompt: "print tables",
      agents: scripted({}),
      steps: [
        pastStep("planner", planned),
        ...reported.map((hash) => pastStep("coder", coded(hash))),
      ],
    });
    return run.route[0];
  };

  it("asks for each planned phase, in whatever order and however often they are reported", async () => {
    const report = fc.constantFrom(PARSE, PRINT, NOT_PLANNED, null);
    await fc.assert(
      fc.asyncProperty(fc.array(report, { minLength: 1, maxLength: 8 }), async (reported) => {
        const complete = reported.includes(PARSE) && reported.includes(PRINT);
        expect(await nextAfter(reported)).toBe(complete ? "reviewer" : "coder");
      }),
    );
  });

  it("is right after 10,000 steps", async () => {
    const many = Array.from({ length: 9_999 }, () => PARSE);
    expect(await nextAfter(many)).toBe("coder");
    expect(await nextAfter([...many, PRINT])).toBe("reviewer");
  });

  it("reads the projection and never the list of steps, like every expression of the table", () => {
    for (const { condition, prompt = "", location = "" } of Object.values(developTable).flat()) {
      const when = condition === "FALLBACK" ? "" : condition.when;
      expect([when, prompt, location].join("\n")).not.toMatch(/\bsteps\[|\bsteps\./u);
    }
  });
});

describe("the edge prompts of develop", () => {
  const promptsTo = async (run: Promise<RunResult>, role: string): Promise<(string | null)[]> =>
    (await run).routes.filter(({ to }) => to === role).map(({ prompt }) => prompt);

  it("hand the coder the first open phase, with the command that shows its text", async () => {
    const [first, second] = await promptsTo(smoothRun(), "coder");
    expect(first).toBe(
      [
        "Do the next open phase (0 of 2 are complete): Parse the file",
        "",
        `Its text: uncaged-workflow cas get --payload ${PARSE}`,
        `When it is done, report completedPhase: ${PARSE}`,
      ].join("\n"),
    );
    expect(second).toContain("(1 of 2 are complete): Print the table");
    expect(second).toContain(PRINT);
  });

  it("hand the same phase out again when it is not complete", async () => {
    const [first, second] = await promptsTo(bumpyRun(), "coder");
    expect(second).toBe(first);
  });

  it("hand the coder every finding of the reviewer", async () => {
    const prompts = await promptsTo(bumpyRun(), "coder");
    expect(prompts[3]).toContain("- src/parse.ts:12: an empty file must give an empty table\n");
    expect(prompts[3]).toContain("- README.md: the new option is missing");
  });

  it("hand the coder the tester's failure and what was run", async () => {
    const prompts = await promptsTo(bumpyRun(), "coder");
    expect(prompts[4]).toContain("prints an empty table: expected '' to be '||'");
    expect(prompts[4]).toContain("- npm test (exit code 1)");
  });

  it("name all phases to the reviewer and the commands that passed to the committer", async () => {
    const [review] = await promptsTo(smoothRun(), "reviewer");
    expect(review).toContain(`- ${PARSE} Parse the file\n- ${PRINT} Print the table`);
    const [commit] = await promptsTo(smoothRun(), "committer");
    expect(commit).toContain("- npm run check\n- npm test");
  });

  it("carry text of an agent as it is, even when it looks like a placeholder", async () => {
    const problem = "write {{ last.meta.status }}, not $eval('x')";
    const run = develop({
      planner: [planned],
      coder: [coded(PARSE), coded(PRINT), coded(null)],
      reviewer: [{ status: "rejected", findings: [{ place: "a.md", problem }] }],
    });
    expect((await promptsTo(run, "coder"))[2]).toContain(`- a.md: ${problem}`);
  });
});
