import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { CommandEntry, Output } from "../command/command.ts";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { completionModel, type Place } from "./model.ts";
import type { Shell } from "./words.ts";
import { zshCompletion } from "./zsh.ts";

/** The names under which the program is installed; help uses the first. */
const PROGRAMS = ["uncaged-workflow", "uwf"];

const SCRIPTS: {
  readonly [S in Shell]: (places: readonly Place[], programs: readonly string[]) => string;
} = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export async function completionScript(
  shell: Shell,
  entries: readonly CommandEntry[],
): Promise<Result<Output, Failure>> {
  const script = SCRIPTS[shell](await completionModel(entries), PROGRAMS);
  return ok({ document: { shell, script }, verbatim: script });
}
