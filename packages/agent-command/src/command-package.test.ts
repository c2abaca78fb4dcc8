import { tmpdir } from "node:os";
import type { AgentHost, JsonObject } from "@uncaged/workflow-protocol";
import { fakeContext, fakeRuntime } from "@uncaged/workflow-util-agent/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { agent } from "./index.ts";

const host: AgentHost = {
  env: process.env,
  resolveModel: () => {
    throw new Error("a command needs no model");
  },
};

describe("the agent `command` of workflow.yaml", () => {
  it("runs what its options say", async () => {
    const options = { command: "sh", args: ["-c", "echo '{\"n\":1}'"], output: "json" } as const;
    const role = agent.create(options, host)("You count.", z.object({ n: z.number() }));
    const { meta, run } = await role(fakeContext("Count."), fakeRuntime({ cwd: tmpdir() }));
    expect(meta).toEqual({ n: 1 });
    expect(run?.agent.name).toBe("command");
  });

  it.each<[string, JsonObject, string]>([
    ["no command", {}, "command:"],
    ["an unknown option", { command: "true", shell: true }, "shell"],
    ["an option of the wrong type", { command: "true", timeoutMs: "1s" }, "timeoutMs:"],
  ])("refuses %s", (_name, options, what) => {
    expect(() => agent.create(options, host)).toThrow(what);
  });

  it("says whether the program is installed, and what to do when it is not", async () => {
    expect(await agent.probe({ command: "sh" }, host)).toMatchObject({
      installed: true,
      path: expect.stringMatching(/\/sh$/),
      fix: null,
    });
    expect(await agent.probe({ command: "no-such-program-here" }, host)).toMatchObject({
      installed: false,
      path: null,
      fix: "install no-such-program-here, or name it by its full path",
    });
  });
});
