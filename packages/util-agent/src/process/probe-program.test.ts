import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askProgram, probeProgram } from "./probe-program.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "probe "));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function program(name: string, script: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

/** The script's own shell has to be found as well. */
function env(): Record<string, string> {
  return { PATH: `${folder}:/usr/bin:/bin` };
}

describe("probeProgram", () => {
  it("finds the first program that exists, and its version among other words", async () => {
    const path = await program(
      "second-agent",
      'test "$1" = --version && echo "agent-cli v0.169.0"',
    );
    const found = await probeProgram(["no-such-agent", "second-agent"], env());
    expect(found).toEqual({ path, version: "0.169.0" });
  });

  it("accepts a path as it is", async () => {
    const path = await program("agent", "echo 2026.01.28-fd13201");
    expect(await probeProgram([path], {})).toEqual({ path, version: "2026.01.28-fd13201" });
  });

  it("finds a program that does not report its version", async () => {
    const path = await program("agent", "exit 1");
    expect(await probeProgram(["agent"], env())).toEqual({ path, version: null });
  });

  it("finds neither a folder nor a file that is not executable", async () => {
    await mkdir(join(folder, "agent"));
    await writeFile(join(folder, "notes"), "");
    expect(await probeProgram(["agent", "notes"], { PATH: folder })).toBeNull();
  });

  it("finds nothing without a PATH", async () => {
    expect(await probeProgram(["sh"], {})).toBeNull();
  });
});

describe("askProgram", () => {
  it("returns the program's answer, whatever its exit code", async () => {
    const path = await program("agent", 'echo "$1 $2"; echo no >&2; exit 3');
    expect(await askProgram(path, ["login", "status"], env())).toEqual({
      exitCode: 3,
      stdout: "login status\n",
      stderr: "no\n",
    });
  });

  it("tells the program where its files are, but none of our secrets", async () => {
    const path = await program("agent", "env");
    const secrets = { GH_TOKEN: "ghp_1", DATABASE: "pg://user:word@host", OPENAI_API_KEY: "sk-1" };
    const asked = { ...env(), ...secrets, CODEX_HOME: "/there" };
    const { stdout = "" } = (await askProgram(path, [], asked)) ?? {};
    expect(stdout).toContain("CODEX_HOME=/there\n");
    for (const [name, value] of Object.entries(secrets)) {
      expect(stdout).not.toContain(name);
      expect(stdout).not.toContain(value);
    }
  });

  it("returns nothing for a program that does not start", async () => {
    expect(await askProgram(join(folder, "none"), [], env())).toBeNull();
  });
});
