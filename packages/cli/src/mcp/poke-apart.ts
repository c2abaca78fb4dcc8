import { fileURLToPath } from "node:url";
import {
  type ErrorCode,
  err,
  type Failure,
  failure,
  isErrorCode,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { spawnCli } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";

const BIN = new URL("../../bin/uncaged-workflow.mjs", import.meta.url);

/** Runs `thread poke` in a separate process: a workflow's code must not run in ours, which serves further calls and
 *  whose stdout belongs to the protocol. Cancelling the call cancels the poke, and the head stays as it was. */
export async function pokeApart(
  opts: { id: string; prompt: string; agent: string | null; signal: AbortSignal },
  { cwd, env }: Pick<Io, "cwd" | "env">,
): Promise<Result<Output, Failure>> {
  const { id, prompt, agent, signal } = opts;
  const args = ["--json", "thread", "poke", ...(agent === null ? [] : [`--agent=${agent}`])];
  const run = await spawnCli(
    process.execPath,
    [fileURLToPath(BIN), ...args, "--prompt", "-", "--", id],
    {
      cwd,
      hostEnv: env,
      inheritEnv: "all",
      tag: `poke-${process.pid}:${Date.now()}`,
      stdin: prompt,
      signal,
    },
  );
  if (!run.ok) return run;
  const { exitCode, stdout, stderr, stoppedBy } = run.value;
  if (stoppedBy !== null) {
    return err(failure("THREAD_ABORTED", "the poke was cancelled; the step is unchanged", ""));
  }
  return exitCode === 0
    ? ok({ document: JSON.parse(stdout.text), human: () => stdout.text })
    : err(failureIn(stderr.text));
}

/** The last line of stderr is the failure; the bundle's own output may come before it. */
function failureIn(stderr: string): Failure {
  const line = stderr.trimEnd().split("\n").at(-1) ?? "";
  try {
    const { code, message, hint } = REPORTED.parse(JSON.parse(line)).error;
    return failure(code, message, hint);
  } catch {
    return failure(
      "INTERNAL",
      `the poke failed: ${line}`,
      "see: uncaged-workflow thread show <id>",
    );
  }
}

const isCode = (code: unknown): boolean => typeof code === "string" && isErrorCode(code);

const REPORTED = z.object({
  error: z.object({ code: z.custom<ErrorCode>(isCode), message: z.string(), hint: z.string() }),
});
