import type { Failure, Result } from "@uncaged/workflow-protocol";
import { askErrand } from "./ask-errand.ts";
import type { Command } from "./command.ts";
import { demandFit, errandOf } from "./errand.ts";
import type { Io } from "./io.ts";
import type { Given } from "./options.ts";
import { stepStore } from "./step-store.ts";

/** For a call that an agent in a sandbox makes, or that is carried out for one. Returns the exit code once the engine has
 *  carried it out; null: it is to be run here. Throws `ACCESS_DENIED` for what is not carried out for a step. */
export async function inStep(
  { command, given, argv }: { command: Command; given: Given; argv: readonly string[] },
  io: Io,
): Promise<Result<number, Failure> | null> {
  if (errandOf(io.env) !== null) {
    demandFit(command, given);
    return null;
  }
  const step = stepStore(io.env);
  if (step === null || command.errand === undefined) return null;
  const input = (await command.errand.input?.(given, io)) ?? null;
  return askErrand(step, { words: argv, input, cwd: io.cwd }, io);
}
