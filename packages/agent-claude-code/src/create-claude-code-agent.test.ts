import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentHost, JsonObject } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { agent } from "./create-claude-code-agent.ts";
import { standIn } from "./stand-in.test.helper.ts";

// Programs are started, on machines that have other work to do.
vi.setConfig({ testTimeout: 30_000 });

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "claude "));
});
afterEach(() => rm(folder, { recursive: true }));

const host = (env: AgentHost["env"]): AgentHost => ({
  env: { PATH: process.env.PATH, CLAUDE_CONFIG_DIR: folder, ...env },
  resolveModel: () => {
    throw new Error("no model is asked for");
  },
});

describe("the agent package", () => {
  it("finds the program, its version and the user's login", async () => {
    const { command } = await standIn(folder);
    await writeFile(join(folder, ".credentials.json"), "{}");
    expect(await agent.probe({ command }, host({}))).toEqual({
      path: command,
      version: "2.1.329",
      installed: true,
      login: "ok",
      features: ["json-schema", "resume", "tool-policy", "evidence"],
      fix: null,
    });
  });

  it("accepts a key in the environment as a login", async () => {
    const { command } = await standIn(folder);
    const probe = await agent.probe({ command }, host({ ANTHROPIC_API_KEY: "key" }));
    expect(probe.login).toBe("ok");
  });

  it("accepts a key in its options as a login, as the run does", async () => {
    const { command } = await standIn(folder);
    const options = { command, env: { ANTHROPIC_API_KEY: "key" } };
    expect(await agent.probe(options, host({}))).toMatchObject({ login: "ok" });
  });

  it("says how to log in, and how to install", async () => {
    const { command } = await standIn(folder);
    expect(await agent.probe({ command }, host({}))).toMatchObject({
      login: "missing",
      fix: expect.stringContaining("setup-token"),
    });
    expect(await agent.probe({ command: join(folder, "none") }, host({}))).toMatchObject({
      installed: false,
      fix: expect.stringContaining("npm install -g @anthropic-ai/claude-code"),
    });
  });

  it("does not know the login of a program that does not report it", async () => {
    const { command } = await standIn(folder);
    await writeFile(command, "#!/bin/sh\necho 1.0.0\n");
    expect(await agent.probe({ command }, host({}))).toMatchObject({
      version: "1.0.0",
      login: "unknown",
      fix: null,
    });
  });

  it("accepts its own options and those of every adapter", () => {
    const options: JsonObject = {
      command: "claude",
      model: "sonnet",
      maxTurns: 3,
      mcpServers: {
        engine: { command: "uncaged-workflow", args: ["mcp"], env: { A: "1" } },
        far: { type: "http", url: "https://a.example/mcp", headers: { B: "2" } },
      },
      timeoutMs: null,
      config: "user",
    };
    expect(agent.create(options, host({}))).toBeTypeOf("function");
  });

  it.each([
    [{ modell: "sonnet" }, "modell"],
    [{ maxTurns: 0 }, "maxTurns"],
    [{ mcpServers: { far: { type: "ftp", url: "x" } } }, "mcpServers"],
    [{ timeoutMs: "1h" }, "timeoutMs"],
  ])("refuses the options %j", (options, named) => {
    expect(() => agent.create(options, host({}))).toThrow(named);
  });
});
