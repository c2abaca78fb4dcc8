/** What is known about a program before it does any work: where it is, and its version. */
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { programPath } from "@uncaged/workflow-util";
import type { Environment } from "./cli-environment.ts";
import { spawnCli } from "./spawn-cli.ts";

export type FoundProgram = {
  path: string;
  /** The first text like `1.2.3` in its answer to `--version`; null: there is none. */
  version: string | null;
};

export type ProgramAnswer = { exitCode: number | null; stdout: string; stderr: string };

const ASK_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** The first of these programs that exists, by name on `PATH` or by path. Null: none. Never throws. */
export async function probeProgram(
  names: readonly string[],
  env: Environment,
): Promise<FoundProgram | null> {
  for (const name of names) {
    const path = await programPath(name, env.PATH);
    if (path === null) continue;
    const answer = await askProgram(path, ["--version"], env);
    return { path, version: VERSION.exec(answer?.stdout ?? "")?.[0] ?? null };
  }
  return null;
}

/** `CODEX_HOME`, `CLAUDE_CONFIG_DIR`, `XDG_CONFIG_HOME`. */
const FOLDER = /_(?:HOME|DIR)$/;

const VERSION = /\d+\.\d+(?:\.\d+)?[\w.+-]*/;

/** A program's answer to a question such as `login status`; null: it cannot be started, or takes longer than 15
 *  seconds. Never throws. To answer, the program reads its files: it is told where they are, but none of our
 *  secrets. */
export async function askProgram(
  path: string,
  args: readonly string[],
  env: Environment,
): Promise<ProgramAnswer | null> {
  const run = await spawnCli(path, args, {
    cwd: tmpdir(),
    tag: `probe:${randomUUID()}`,
    hostEnv: env,
    passEnv: Object.keys(env).filter((name) => FOLDER.test(name)),
    timeoutMs: ASK_MS,
    maxOutputBytes: MAX_ANSWER_BYTES,
  });
  if (!run.ok || run.value.stoppedBy !== null) return null;
  const { exitCode, stdout, stderr } = run.value;
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}
