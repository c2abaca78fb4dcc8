import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { probeCodex } from "./probe-codex.ts";
import { standIn } from "./stand-in.test.helper.ts";

let folder: string;
let command: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "probe codex "));
  ({ command } = await standIn(folder));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe("probeCodex", () => {
  it("finds the program on PATH, its version and its log-in", async () => {
    expect(await probeCodex({}, { PATH: folder, LOG_IN_HOME: "1" })).toEqual({
      path: command,
      version: "0.169.0",
      installed: true,
      login: "ok",
      features: ["json-schema", "resume", "sandbox"],
      fix: null,
    });
  });

  it("says how to log in, and how to install", async () => {
    expect(await probeCodex({ command }, {})).toMatchObject({
      login: "missing",
      fix: expect.stringContaining("codex login"),
    });
    expect(await probeCodex({}, { PATH: "" })).toMatchObject({
      installed: false,
      fix: expect.stringContaining("npm install -g @openai/codex"),
    });
  });

  it("asks for no login when there is a key", async () => {
    expect(await probeCodex({ command }, { CODEX_API_KEY: "key" })).toMatchObject({ login: "ok" });
  });

  it("needs the key of a custom endpoint", async () => {
    const provider = { baseUrl: "http://127.0.0.1:1/v1", envKey: "LAB_KEY" };
    const config = { command, provider };
    expect(await probeCodex(config, { LAB_KEY: "k" })).toMatchObject({ login: "ok" });
    expect(await probeCodex(config, { LOG_IN_HOME: "1" })).toMatchObject({
      login: "missing",
      fix: "set LAB_KEY",
    });
    const keyless = { command, provider: { baseUrl: provider.baseUrl } };
    expect(await probeCodex(keyless, {})).toMatchObject({ login: "ok" });
  });
});
