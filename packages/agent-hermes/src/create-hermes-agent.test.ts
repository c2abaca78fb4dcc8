import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentHost, failureFrom } from "@uncaged/workflow-protocol";
import { fakeContext, fakeRuntime } from "@uncaged/workflow-util-agent/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { agent, hermesDriver } from "./create-hermes-agent.ts";
import { standIn } from "./stand-in.test.helper.ts";

function host(env: AgentHost["env"] = {}): AgentHost {
  const resolveModel = (): never => {
    throw new Error("no model is asked for");
  };
  return { env, resolveModel };
}

describe("the agent package", () => {
  it("finds the program and its version, and says how to install a missing one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hermes probe "));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { command } = await standIn(folder);
    expect(await agent.probe({}, host({ PATH: folder }))).toEqual({
      path: command,
      version: "0.21.3",
      installed: true,
      login: "unknown",
      features: ["resume"],
      fix: null,
    });
    expect(await agent.probe({}, host())).toMatchObject({
      installed: false,
      fix: expect.stringContaining("hermes-agent"),
    });
  });

  it("creates an adapter, and refuses unknown options", () => {
    expect(agent.create({ model: "m", maxTurns: 5 }, host())).toBeTypeOf("function");
    let thrown: unknown;
    try {
      agent.create({ maxTurns: 0 }, host());
    } catch (error) {
      thrown = error;
    }
    expect(failureFrom(thrown, "INTERNAL").code).toBe("CONFIG_INVALID");
  });

  it("refuses a role that coordinates before the program starts", async () => {
    const rules = { coordinates: { workflows: ["develop"] } };
    const schema = z.object({ status: z.literal("done") });
    const play = agent.create({ command: "/nowhere/hermes" }, host())("You lead.", schema);
    await expect(play(fakeContext("Split it."), fakeRuntime({ rules }))).rejects.toThrow(
      "takes no tools of the engine",
    );
  });
});

describe("the driver", () => {
  it("promises neither evidence nor a policy", () => {
    expect(hermesDriver({}).can).toEqual({ evidence: false, policy: false, resume: true });
  });
});
