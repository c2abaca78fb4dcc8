import type { CasStore } from "@uncaged/workflow-protocol";
import type { CommandResult } from "./command-config.ts";
import type { CommandOrder } from "./command-order.ts";

const TAIL_CHARS = 4_096;

/** Stores what the engine itself saw: which command ran, how it ended, its last words. No environment and
 *  no input: they may hold secrets or be long. Gives the hash. */
export function putEvidence(
  cas: Pick<CasStore, "put">,
  { command, args, cwd, redact }: CommandOrder,
  { exitCode, signal, durationMs, output }: CommandResult,
): Promise<string> {
  const seen = {
    kind: "command",
    command,
    args: args.map(redact),
    cwd,
    exitCode,
    signal,
    durationMs,
    outputTail: output.slice(-TAIL_CHARS).toWellFormed(),
  };
  return cas.put(JSON.stringify(seen, null, 2));
}
