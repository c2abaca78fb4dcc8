import { test } from "node:test";
import { END } from "@uncaged/workflow-runtime";
import { type DevelopMeta, developWorkflowDefinition } from "@uncaged/workflow-template-develop";
import { expectRoute, runWorkflow, scripted } from "@uncaged/workflow-testkit";

const hash = "D4KP4Y6MRRVJV";
const work = { completedPhase: hash, summary: "one hyphen", changedFiles: ["slugify.js"] };

test("a failed test goes back to the coder before anything is committed", async () => {
  const agents = scripted<DevelopMeta>({
    planner: [{ status: "planned", phases: [{ hash, title: "One hyphen" }], reason: null }],
    coder: [work, work],
    reviewer: [
      { status: "approved", findings: [] },
      { status: "approved", findings: [] },
    ],
    tester: [
      { status: "failed", commands: [], failure: "'a-' should be 'a'" },
      { status: "passed", commands: [{ command: "npm test", exitCode: 0 }], failure: null },
    ],
    committer: [{ commit: "a".repeat(40), message: "fix: one hyphen", reason: null }],
  });
  const result = await runWorkflow(developWorkflowDefinition, { prompt: "slugify()", agents });
  const firstRound = ["planner", "coder", "reviewer", "tester"];
  expectRoute(result, [...firstRound, "coder", "reviewer", "tester", "committer", END]);
});
