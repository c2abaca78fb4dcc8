import type { ChildOutcome } from "@uncaged/workflow-runtime";
import { runWorkflow, scripted } from "@uncaged/workflow-testkit";
import { describe, expect, it } from "vitest";
import { solveIssueWorkflowDefinition } from "./definition.ts";
import { developer } from "./developer.ts";
import { developerAgent, developerMeta } from "./developer-agent.ts";

const outcome: ChildOutcome = {
  threadId: "01CH11D0000000000000000000",
  returnCode: 0,
  summary: "5 steps",
  rootHash: "0R00T00000000",
  lastMeta: { commit: "c0ffee", message: "fix: cart", reason: null },
  bundleHash: "0000000000001",
  usage: null,
};

describe("the developer's result", () => {
  it("is done when the child ended well and its last step names a commit", () => {
    expect(developerMeta(outcome)).toEqual({
      status: "done",
      childThread: outcome.threadId,
      commit: "c0ffee",
      summary: "5 steps",
      reason: null,
    });
  });

  it("is failed, for the child's own reason, when a plan was aborted or a commit refused", () => {
    const lastMeta = { commit: null, message: "fix: cart", reason: "the hook failed" };
    expect(developerMeta({ ...outcome, lastMeta })).toMatchObject({
      status: "failed",
      commit: null,
      reason: "the hook failed",
    });
  });

  it("is failed when the child failed, even if its last step names a commit", () => {
    expect(developerMeta({ ...outcome, returnCode: 1, summary: "AGENT_FAILED" })).toMatchObject({
      status: "failed",
      commit: null,
      reason: "AGENT_FAILED",
    });
  });

  it.each([
    { returnCode: 0, summary: "", lastMeta: {}, reason: "the child thread ended without a commit" },
    {
      returnCode: 130,
      summary: "",
      lastMeta: {},
      reason: "the child thread ended with return code 130",
    },
    {
      returnCode: 0,
      summary: "",
      lastMeta: { commit: 7, reason: " " },
      reason: "the child thread ended without a commit",
    },
  ])("has a reason and fits its schema when the child says nothing: $lastMeta", (ended) => {
    const { reason, ...end } = ended;
    const meta = developerMeta({ ...outcome, ...end });
    expect(meta).toMatchObject({ status: "failed", reason });
    expect(developer.schema.safeParse(meta).success).toBe(true);
  });
});

describe("developerAgent", () => {
  it("runs another workflow when told its name", async () => {
    const asked: string[] = [];
    await runWorkflow(solveIssueWorkflowDefinition, {
      prompt: "solve #7",
      agents: {
        adapter: scripted({
          preparer: [
            {
              status: "ready",
              issue: "#7",
              directory: ".",
              branch: "fix/cart",
              base: "main",
              task: "mend the cart",
              acceptanceCriteria: ["it works"],
              reason: null,
            },
          ],
        }),
        overrides: { developer: developerAgent({ workflow: "our-develop" }) },
      },
      children: {
        "our-develop": ({ workflow }) => {
          asked.push(workflow);
          return { lastMeta: { reason: "not today" } };
        },
      },
    });
    expect(asked).toEqual(["our-develop"]);
  });
});
