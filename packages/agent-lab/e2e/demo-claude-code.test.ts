import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { beforeAll, describe, expect, test } from "vitest";
import { installPrograms } from "../src/index.ts";

const DEMO = fileURLToPath(new URL("../../../examples/demo/demo.mjs", import.meta.url));
const LIMIT_MS = 8 * 60_000;

async function demo(args: readonly string[], path?: string) {
  const home = await mkdtemp(join(tmpdir(), "demo-home-"));
  const env = { HOME: home, PATH: path ?? process.env.PATH, UNCAGED_AGENT_LAB_CACHE: CACHE };
  const options = { env, extendEnv: false, reject: false, all: true, timeout: LIMIT_MS } as const;
  const ran = await execa(process.execPath, [DEMO, ...args], options);
  await rm(home, { recursive: true, force: true });
  return ran;
}

/** The home is different, the installed programs are the same. */
const CACHE =
  process.env.UNCAGED_AGENT_LAB_CACHE ??
  join(process.env.HOME ?? "", ".cache", "uncaged-agent-lab");

describe("claude-code", () => {
  // Here, with this user's settings of npm: the demo's home has none.
  beforeAll(() => installPrograms(["claude"]), LIMIT_MS);

  test("demo: a real program plays it to its end, with a scripted model", {
    timeout: LIMIT_MS,
  }, async () => {
    const { exitCode, all } = await demo(["--agent", "claude", "--mock"]);
    expect(exitCode, all).toBe(0);
    expect(all).toContain("npm test passes now");
    expect(all).toMatch(/step 2, coder: 3000 \+ 150 tokens, .* session [0-9a-f-]{36}/);
  });

  test("demo-without: where there is no such agent, the demo says how to get it", {
    timeout: LIMIT_MS,
  }, async () => {
    const { exitCode, all } = await demo(
      ["--agent", "claude"],
      `${dirname(process.execPath)}:/usr/bin:/bin`,
    );
    expect(exitCode, all).toBe(1);
    expect(all).toContain("npm install -g @anthropic-ai/claude-code");
    const unknown = await demo(["--agent", "nobody"]);
    expect(unknown.exitCode).toBe(2);
    expect(unknown.all).toContain("claude, codex, copilot");
  });
});
