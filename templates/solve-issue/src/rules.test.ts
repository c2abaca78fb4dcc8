import { type ChildOutcome, END } from "@uncaged/workflow-runtime";
import {
  expectEveryEdge,
  expectRoute,
  type RunResult,
  runWorkflow,
  type Scripts,
  scripted,
} from "@uncaged/workflow-testkit";
import { describe, expect, it } from "vitest";
import { solveIssueWorkflowDefinition } from "./definition.ts";
import { developerAgent } from "./developer-agent.ts";
import type { SolveIssueMeta } from "./roles.ts";
import { solveIssueTable } from "./rules.ts";

const CHILD = "01CH11D0000000000000000000";
const COMMIT = "c0ffee".padEnd(40, "0");

const ready: SolveIssueMeta["preparer"] = {
  status: "ready",
  issue: "#7",
  directory: "shop",
  branch: "fix/empty-cart",
  base: "main",
  task: "The cart page fails for an empty cart. It must say that the cart is empty.",
  acceptanceCriteria: ["an empty cart shows a sentence", "a full cart looks as before"],
  reason: null,
};
const blocked: SolveIssueMeta["preparer"] = {
  status: "blocked",
  issue: "#7",
  directory: null,
  branch: null,
  base: null,
  task: null,
  acceptanceCriteria: [],
  reason: "the issue is closed",
};
const submitted: SolveIssueMeta["submitter"] = {
  url: "https://example.org/shop/pulls/8",
  reason: null,
};

/** The developer is a child thread that ends as told; the other roles are scripted. */
function solve(
  scripts: Scripts<SolveIssueMeta>,
  child: Partial<ChildOutcome> & { asked?: string[] } = {},
): Promise<RunResult> {
  return runWorkflow(solveIssueWorkflowDefinition, {
    prompt: "solve #7",
    agents: { adapter: scripted(scripts), overrides: { developer: developerAgent() } },
    children: {
      develop: ({ prompt }) => {
        child.asked?.push(prompt);
        return { threadId: CHILD, summary: "5 steps", ...child };
      },
    },
  });
}

const blockedRun = (): Promise<RunResult> => solve({ preparer: [blocked] });
const failedRun = (): Promise<RunResult> =>
  solve({ preparer: [ready] }, { lastMeta: { status: "aborted", reason: "two criteria clash" } });
const solvedRun = (): Promise<RunResult> =>
  solve({ preparer: [ready], submitter: [submitted] }, { lastMeta: { commit: COMMIT } });

describe("the table of solve-issue", () => {
  it("is walked whole by the runs of this file", async () => {
    expectEveryEdge(solveIssueWorkflowDefinition, [
      await blockedRun(),
      await failedRun(),
      await solvedRun(),
    ]);
  });

  it("ends when the issue cannot be worked on", async () => {
    const run = await blockedRun();
    expectRoute(run, ["preparer", END]);
    expect(run.routes.at(-1)?.condition).toBe("blocked");
  });

  it("ends without a pull request when the development failed", async () => {
    const run = await failedRun();
    expectRoute(run, ["preparer", "developer", END]);
    expect(run.routes.at(-1)?.condition).toBe("failed");
    expect(run.steps.at(-1)?.meta).toMatchObject({ reason: "two criteria clash" });
  });

  it("prepares, develops in a child thread, and submits", async () => {
    const run = await solvedRun();
    expectRoute(run, ["preparer", "developer", "submitter", END]);
    expect(run.steps[1]).toMatchObject({
      childThread: CHILD,
      meta: { status: "done", childThread: CHILD, commit: COMMIT },
    });
    expect(run.completion).toMatchObject({ returnCode: 0 });
  });

  it("gives the child the whole task, so that it need not read the issue", async () => {
    const asked: string[] = [];
    await solve({ preparer: [ready] }, { asked });
    expect(asked).toEqual([
      [
        "The cart page fails for an empty cart. It must say that the cart is empty.",
        "",
        "Acceptance criteria:",
        "- an empty cart shows a sentence",
        "- a full cart looks as before",
        "",
        "Issue: #7",
        "The working directory has the branch fix/empty-cart checked out, made from main. Commit on that branch and do not push.",
      ].join("\n"),
    ]);
  });

  it("lets developer and submitter work in the directory that was prepared", async () => {
    const { requests } = await solvedRun();
    expect(requests.map(({ role, location }) => [role, location])).toEqual([
      ["preparer", null],
      ["developer", "shop"],
      ["submitter", "shop"],
    ]);
  });

  it("tells the submitter what to submit, where to, and where its record is", async () => {
    const prompt = (await solvedRun()).routes[2]?.prompt;
    expect(prompt).toBe(
      [
        `Commit ${COMMIT} on branch fix/empty-cart is ready. Open a pull request against main for issue #7.`,
        `The record of the work: uncaged-workflow thread show ${CHILD}`,
      ].join("\n"),
    );
  });

  it("reads the projection and never the list of steps, in all its expressions", () => {
    for (const { condition, prompt = "", location = "" } of Object.values(solveIssueTable).flat()) {
      const when = condition === "FALLBACK" ? "" : condition.when;
      expect([when, prompt, location].join("\n")).not.toMatch(/\bsteps\[|\bsteps\./u);
    }
  });
});
