/** The output of a command for several threads: each as it is done, or all in one document at the end. */
import { EXIT, type Failure } from "@uncaged/workflow-protocol";
import type { Output, Said } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { renderFailure } from "../../command/render-error.ts";
import { writeText } from "../../command/write-text.ts";
import { styleOf } from "../../terminal/style.ts";

/** For people, on stdout; with `--json`, it is in the document at the end. */
export async function tell(human: Said["human"], io: Pick<Io, "json" | "stdout">): Promise<void> {
  if (!io.json) await writeText(io.stdout, `${human(styleOf(io.stdout)).trimEnd()}\n`);
}

/** On stderr. */
export function complain(reason: Failure, io: Pick<Io, "stderr">): Promise<void> {
  return writeText(io.stderr, renderFailure(reason, { json: false, style: styleOf(io.stderr) }));
}

/** A document with an entry for each thread; for people everything was already written. The exit code is the highest
 *  of the threads' own. */
export function severalOutput(
  { document, codes }: { document: readonly unknown[]; codes: readonly number[] },
  io: Pick<Io, "json">,
): Output {
  const exitCode = codes.reduce((worst, code) => Math.max(worst, code), EXIT.success);
  return io.json ? { document, human: () => "", exitCode } : { streamed: true, exitCode };
}
