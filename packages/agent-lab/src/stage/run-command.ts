import { fileURLToPath } from "node:url";
import { execa } from "execa";

/** The command line as it is published. */
export const CLI: string = fileURLToPath(
  new URL("../../../cli/bin/uncaged-workflow.mjs", import.meta.url),
);

/** No command in a test takes longer. */
const LIMIT_MS = 280_000;

export type CommandRun = { code: number | undefined; stdout: string; stderr: string };

/** Runs it with exactly this environment; `input` is the content of its stdin. */
export async function runCommand(
  args: readonly string[],
  { cwd, env, input }: { cwd: string; env: Record<string, string>; input?: string | undefined },
): Promise<CommandRun> {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [CLI, ...args], {
    cwd,
    env,
    extendEnv: false,
    reject: false,
    timeout: LIMIT_MS,
    ...(input === undefined ? { stdin: "ignore" } : { input }),
  });
  return { code: exitCode, stdout, stderr };
}
