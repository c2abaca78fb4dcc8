/** What a schedule or a trigger starts, with the options of `run`. */
import { resolve } from "node:path";
import type { Limits, Placement, PlannedStart, ThreadLabels } from "@uncaged/workflow-protocol";
import type { Io } from "../../command/io.ts";
import { type Given, type Option, textOption, usageError } from "../../command/options.ts";
import { placementOf, placementOptions } from "../../command/placement-options.ts";
import {
  type PromptSource,
  promptFileOption,
  promptOption,
  promptSource,
  readPrompt,
} from "../../command/prompt.ts";
import { workingFolder } from "../../command/working-folder.ts";
import { printableLine } from "../../terminal/printable.ts";
import { limitOptions, limitsOf } from "./limit-options.ts";
import { labelOption, labelsOf, titleOf, titleOption } from "./name-options.ts";
import { priorityOption } from "./queue-options.ts";
import { worktreeOf, worktreeOption } from "./worktree-option.ts";

const workflow: Option<string | null> = textOption(
  "--workflow <name>",
  "the registered workflow to start, in the version that is current then",
);
const cwd: Option<string | null> = textOption(
  "--cwd <path>",
  "directory in which the roles work (default: this one)",
);

export const plannedStartOptions: readonly Option<unknown>[] = [
  workflow,
  promptOption,
  promptFileOption,
  cwd,
  worktreeOption,
  titleOption,
  labelOption,
  priorityOption,
  ...placementOptions,
  ...limitOptions,
];

export type TypedStart = {
  workflow: string;
  prompt: PromptSource;
  /** Relative to the current directory; null: that directory. */
  cwd: string | null;
  worktree: PlannedStart["worktree"];
  limits: Limits | null;
  title: string | null;
  labels: ThreadLabels;
  priority: number;
} & Placement;

/** Throws `USAGE`. */
export function plannedStartOf(given: Given): TypedStart {
  const name = given(workflow);
  if (name === null) throw usageError("--workflow is missing: name the workflow to start");
  return {
    workflow: name,
    prompt: promptSource(given),
    cwd: given(cwd),
    worktree: worktreeOf(given),
    limits: limitsOf(given),
    title: titleOf(given),
    labels: labelsOf(given),
    priority: given(priorityOption) ?? 0,
    ...placementOf(given),
  };
}

/** Throws `USAGE` for an empty prompt, `FILE_NOT_FOUND`. */
export async function readStart(typed: TypedStart, io: Io): Promise<PlannedStart> {
  const prompt = await readPrompt(typed.prompt, io);
  if (prompt.trim() === "") throw usageError("the prompt is empty: say what is to be done");
  return { ...typed, prompt, cwd: workingFolder(resolve(io.cwd, typed.cwd ?? "")) };
}

/** What it starts, and where. */
export function startText({ workflow: name, cwd: folder, worktree }: PlannedStart): string {
  return `${name} in ${worktree === undefined ? "" : "a git worktree of "}${printableLine(folder, 200)}`;
}
