import type { Failure, Result } from "@uncaged/workflow-protocol";
import type { CliRun, SpawnCliOptions } from "./cli-run.ts";
import { startSupervised } from "./open-cli.ts";

/** Runs a program to its end with `openCli`, for input that is known in advance. Any exit code is a value; it is an
 *  error only if the program cannot be started (`AGENT_FAILED`), cannot be ended (`AGENT_FAILED`), or was aborted
 *  before it started (`THREAD_ABORTED`). */
export async function spawnCli(
  command: string,
  args: readonly string[],
  { stdin = null, ...options }: SpawnCliOptions,
): Promise<Result<CliRun, Failure>> {
  const started = await startSupervised(command, args, {
    ...options,
    stdin: stdin === null ? "ignore" : "pipe",
  });
  if (!started.ok) return started;
  void started.value.write(stdin ?? "");
  started.value.closeInput();
  return started.value.ended;
}
