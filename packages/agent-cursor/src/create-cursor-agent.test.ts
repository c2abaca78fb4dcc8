import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentHost, failureFrom } from "@uncaged/workflow-protocol";
import { fakeContext, fakeRuntime } from "@uncaged/workflow-util-agent/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { agent } from "./create-cursor-agent.ts";
import { cursorDriver } from "./cursor-driver.ts";
import { standIn } from "./stand-in.test.helper.ts";

function host(env: AgentHost["env"] = {}): AgentHost {
  const resolveModel = (): never => {
    throw new Error("no model is asked for");
  };
  return { env, resolveModel };
}

describe("the agent package", () => {
  it("finds the program, whether it is logged in, and whether it speaks ACP", async () => {
    const folder = await mkdtemp(join(tmpdir(), "cursor probe "));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { command } = await standIn(folder);
    expect(await agent.probe({}, host({ PATH: folder, LOG_IN_HOME: "1" }))).toEqual({
      path: command,
      version: "2026.01.28-fd13201",
      installed: true,
      login: "ok",
      features: ["resume", "stream-json", "acp"],
      fix: null,
    });
    expect(await agent.probe({}, host({ PATH: folder }))).toMatchObject({
      login: "missing",
      fix: `log in with: ${command} login (or set CURSOR_API_KEY)`,
    });
    const env = { PATH: folder, CURSOR_API_KEY: "key" };
    expect(await agent.probe({ command }, host(env))).toMatchObject({ login: "ok" });
  });

  it("says how to install a missing program", async () => {
    expect(await agent.probe({}, host())).toMatchObject({
      installed: false,
      fix: expect.stringContaining("cursor.com"),
    });
  });

  it("creates an adapter, and refuses unknown options", () => {
    expect(agent.create({ model: "auto", repairs: 0 }, host())).toBeTypeOf("function");
    let thrown: unknown;
    try {
      agent.create({ mode: "plan" }, host());
    } catch (error) {
      thrown = error;
    }
    expect(failureFrom(thrown, "INTERNAL").code).toBe("CONFIG_INVALID");
  });

  it("refuses a role that coordinates before the program starts", async () => {
    const rules = { coordinates: { workflows: ["develop"] } };
    const schema = z.object({ status: z.literal("done") });
    const play = agent.create({ command: "/nowhere/cursor" }, host())("You lead.", schema);
    await expect(play(fakeContext("Split it."), fakeRuntime({ rules }))).rejects.toThrow(
      "takes no tools of the engine",
    );
  });
});

describe("the driver", () => {
  it("promises no policy", () => {
    expect(cursorDriver({}).can).toEqual({ evidence: true, policy: false, resume: true });
  });
});
