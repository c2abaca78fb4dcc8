import {
  type ChildOutcome,
  type ChildRequest,
  START,
  type ThreadContext,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { workflowAsAgent } from "./index.ts";

const outcome = {
  threadId: "01KAJ2Z6PVX0000000000000ZZ",
  returnCode: 0,
  summary: "all done",
  rootHash: "EYHPV6X8XHTCS",
  lastMeta: { commit: "1f3c9d2" },
  bundleHash: "0000000000001",
  usage: null,
};

const ctx: ThreadContext = {
  threadId: "01KAJ2Z6PVX0000000000000AA",
  depth: 0,
  bundleHash: "0000000000000",
  start: { role: START, content: "the task", meta: {}, timestamp: 0, parentState: null },
  steps: [],
};

function runtime(
  prompt: string | null,
  more: Partial<ChildOutcome> = {},
): WorkflowRuntime & { requests: ChildRequest[] } {
  const requests: ChildRequest[] = [];
  const route = { from: START, to: "developer", condition: "FALLBACK", rule: 0, prompt };
  return {
    cas: {
      put: async () => "",
      get: async () => null,
      delete: async () => undefined,
      list: async () => [],
    },
    extract: () => Promise.reject(new Error("not here")),
    signal: new AbortController().signal,
    step: {
      role: "developer",
      round: 1,
      route,
      location: null,
      previousSession: null,
      cwd: "/",
      processTag: "",
      home: "/nowhere",
      agent: null,
    },
    emit: () => undefined,
    requests,
    agent: () => Promise.reject(new Error("not here")),
    runChild: async (request) => {
      requests.push(request);
      return { ...outcome, ...more };
    },
  };
}

describe("a workflow as an agent", () => {
  const schema = z.object({
    returnCode: z.number(),
    summary: z.string(),
    lastMeta: z.object({ commit: z.string() }),
  });

  it("runs the child with the edge's prompt and returns its outcome as meta", async () => {
    const lent = runtime("develop it");
    const result = await workflowAsAgent("develop")("", schema)(ctx, lent);
    const { signal } = lent;
    expect(lent.requests).toEqual([{ workflow: "develop", prompt: "develop it", signal }]);
    expect(result).toMatchObject({
      meta: { returnCode: 0, summary: "all done", lastMeta: { commit: "1f3c9d2" } },
      childThread: outcome.threadId,
      content: "all done",
      run: { agent: { name: "workflow develop", version: "0000000000001" }, usage: null },
    });
  });

  it("runs it with the thread's own prompt when the edge has none", async () => {
    const lent = runtime(null);
    await workflowAsAgent("develop")("", schema)(ctx, lent);
    expect(lent.requests[0]?.prompt).toBe("the task");
  });

  it("uses the author's prompt and meta", async () => {
    const lent = runtime("unused");
    const adapter = workflowAsAgent("develop", {
      prompt: ({ start }, { step }) => `${step.role}: ${start.content}`,
      toMeta: ({ lastMeta }) => ({ commit: lastMeta.commit }),
    });
    const result = await adapter("", z.object({ commit: z.string() }))(ctx, lent);
    expect(lent.requests[0]?.prompt).toBe("developer: the task");
    expect(result.meta).toEqual({ commit: "1f3c9d2" });
  });

  it("refuses an outcome that does not match the role's schema", async () => {
    await expect(
      workflowAsAgent("develop")("", z.object({ url: z.string() }))(ctx, runtime(null)),
    ).rejects.toMatchObject({
      failure: {
        code: "INVALID_OUTPUT",
        message: expect.stringContaining("role developer, round 1"),
      },
    });
  });
});

describe("a child whose workflow has a result", () => {
  it.each([
    ["text\n", "text\n"],
    [{ a: [1] }, '{"a":[1]}'],
  ])("hands %j to the parent's step", async (result, content) => {
    const schema = z.object({ result: z.unknown() });
    const role = workflowAsAgent("child")("", schema);
    expect(await role(ctx, runtime(null, { result }))).toMatchObject({ content, meta: { result } });
  });
});
