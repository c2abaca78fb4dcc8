import type { WorkflowRuntime } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readContent } from "../answer/read-content.ts";
import { fakeThread } from "../testing/fake-thread.test.helper.ts";
import { createAgentAdapter } from "./create-agent-adapter.ts";

const schema = z.object({ answer: z.number() });

async function setUp() {
  const { ctx, runtime } = await fakeThread("task", []);
  const whole: WorkflowRuntime = {
    ...runtime,
    signal: new AbortController().signal,
    emit: () => {},
    extract: async (shape, hash) => shape.parse(JSON.parse(await readContent(runtime.cas, hash))),
    agent: () => Promise.reject(new Error("not here")),
    runChild: () => Promise.reject(new Error("not here")),
  };
  return { ctx, runtime: whole };
}

describe("createAgentAdapter", () => {
  it("stores what the agent says and extracts the meta from it", async () => {
    const { ctx, runtime } = await setUp();
    const agent = async (_ctx: unknown, options: { said: string }) => options.said;
    const adapter = createAgentAdapter(
      agent,
      ({ prompt, runtime: { step } }) => ({ said: `{"answer":42,"by":"${prompt} ${step.role}"}` }),
      { name: "oracle", version: "1" },
    );
    const result = await adapter("You are", schema)(ctx, runtime);
    expect(result).toMatchObject({
      meta: { answer: 42 },
      content: '{"answer":42,"by":"You are coder"}',
      childThread: null,
      run: { agent: { name: "oracle", version: "1" }, cwd: "/project", evidence: [] },
    });
  });

  it("rejects with the agent's own error", async () => {
    const { ctx, runtime } = await setUp();
    const adapter = createAgentAdapter(
      () => Promise.reject(new Error("no model")),
      () => undefined,
    );
    await expect(adapter("", schema)(ctx, runtime)).rejects.toThrow("no model");
  });
});
