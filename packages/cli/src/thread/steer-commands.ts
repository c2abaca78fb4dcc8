/** Commands that steer threads which other processes may be running. */
import type { ThreadLimits } from "@uncaged/workflow-protocol";
import type { Command } from "../command/command.ts";
import {
  type Argument,
  anyArguments,
  countOption,
  durationOption,
  type Given,
  type Option,
  switchOption,
  textOption,
  usageError,
} from "../command/options.ts";
import { promptFileOption, promptOption, promptSource } from "../command/prompt.ts";
import { stayOf, stayOptions } from "./look/stay-options.ts";
import { chooser, type Standing } from "./several/choose-threads.ts";
import { limitOptions, limitsOf } from "./start/limit-options.ts";
import { labelChanges } from "./start/name-options.ts";
import { threadId } from "./start-commands.ts";

const pausable = chooser(["idle", "queued", "running"]);
export const pause: Command = {
  description: "Pause threads after their current step.",
  arguments: [pausable.argument],
  options: [...pausable.options],
  example: "7F3K",
  run: async (given, io) => (await import("./steer/steer.ts")).pause(pausable.read(given), io),
};

const limitedRole: Option<string | null> = textOption(
  "--role <role>",
  "raise the limits of this role, not the thread's",
);
const resumable = chooser(["idle", "queued", "paused", "suspended"]);
export const resume: Command = {
  description: "Continue paused or interrupted threads, answer a question, or raise a limit.",
  arguments: [resumable.argument],
  options: [
    promptOption,
    promptFileOption,
    ...stayOptions,
    ...limitOptions,
    limitedRole,
    ...resumable.options,
  ],
  example: '7F3K --prompt "Yes, the second one" --wait',
  run: async (given, io) => {
    const [answer, limits, stay] = [promptSource(given), raised(given), stayOf(given)];
    // A question rests until somebody answers it.
    const usual: Standing[] = answer === null ? ["idle", "paused"] : ["suspended"];
    const choice = resumable.read(given, limits === null ? usual : [...usual, "suspended"]);
    if (stay === "live" && choice.kind !== "one") {
      throw usageError("--live shows one thread", "wait for several with --wait");
    }
    return (await import("./steer/steer.ts")).resume({ choice, answer, limits, stay }, io);
  },
};

const fields: Argument<readonly string[]> = anyArguments(
  "field=value",
  "the answer's fields, or one JSON object; without any, a terminal asks for each",
);
const member: Option<number | null> = countOption(
  "--member <number>",
  "whose answer it is, where several members of a group wait; numbered as inbox shows them",
  { atLeast: 1 },
);
export const answer: Command = {
  description:
    "Answer a thread that waits for a person to play a role. The answer is the role's step.",
  arguments: [threadId, fields],
  options: [member, ...stayOptions],
  example: '7F3K approved=false comment="Tests are missing" --wait',
  run: async (given, io) => {
    const { answer: give } = await import("./steer/answer.ts");
    const number = given(member);
    const whose = { id: given(threadId), member: number === null ? null : number - 1 };
    return give({ ...whose, words: given(fields), stay: stayOf(given) }, io);
  },
};

function raised(given: Given): ThreadLimits | null {
  const [limits, role] = [limitsOf(given), given(limitedRole)];
  if (role === null) return limits;
  if (limits === null)
    throw usageError("--role says whose limits to raise: name one, such as --max-steps");
  return { roles: { [role]: limits } };
}

// A runner that died may have left agents at work.
const stoppable = chooser(["running"], ["running", "orphaned"]);
export const stop: Command = {
  description: "End the runners of threads now; the threads can be resumed.",
  arguments: [stoppable.argument],
  options: [...stoppable.options],
  example: "7F3K",
  run: async (given, io) => (await import("./steer/steer.ts")).stop(stoppable.read(given), io),
};

const killable = chooser(["idle", "queued", "running", "paused", "suspended"]);
export const kill: Command = {
  description: "Abort for good: end every process of the threads and record return code 130.",
  arguments: [killable.argument],
  options: [...killable.options],
  example: "7F3K",
  run: async (given, io) => (await import("./steer/steer.ts")).kill(killable.read(given), io),
};

const removable = chooser([
  "idle",
  "queued",
  "paused",
  "suspended",
  "completed",
  "failed",
  "aborted",
]);
export const rm: Command = {
  description: "Remove threads that are not running. A later cas gc deletes their blobs.",
  arguments: [removable.argument],
  options: [...removable.options],
  example: "7F3K",
  run: async (given, io) => (await import("./steer/rm.ts")).remove(removable.read(given), io),
};

const labelWords: Argument<readonly string[]> = anyArguments(
  "key=value",
  "labels to set; key- removes one",
);
export const label: Command = {
  description: "Show the labels of a thread, set them or remove them.",
  arguments: [threadId, labelWords],
  options: [],
  example: "7F3K keep team=core draft-",
  run: async (given, io) => {
    const changes = labelChanges(given(labelWords));
    return (await import("./steer/label.ts")).label({ id: given(threadId), ...changes }, io);
  },
};

const old: Option<number | null> = durationOption(
  "--older-than <duration>",
  "threads that have not changed for this long, such as 30d (default: config.retention.days)",
);
const sure: Option<boolean> = switchOption("-y, --yes", "do not ask before they are removed");
const history: Option<boolean> = switchOption(
  "--history",
  "also delete the history lines of removed threads that had ended before that",
);
export const prune: Command = {
  description:
    "Remove old finished threads, with their child threads; never one with the label keep.",
  arguments: [],
  options: [old, history, sure],
  example: "--older-than 30d --yes",
  run: async (given, io) =>
    (await import("./steer/prune.ts")).prune(
      { unchangedMs: given(old), history: given(history), yes: given(sure) },
      io,
    ),
};

const to: Option<string | null> = textOption(
  "--to <version>",
  "workflow, workflow@hash, or a hash (default: the current version of the workflow)",
);
export const upgrade: Command = {
  description: "Continue with another version, if the thread's past would be the same with it.",
  arguments: [threadId],
  options: [to],
  example: "7F3K",
  run: async (given, io) =>
    (await import("./steer/upgrade.ts")).upgrade({ id: given(threadId), to: given(to) }, io),
};

const pokeAgent: Option<string | null> = textOption(
  "--agent <name>",
  "an agent of config.agents, instead of the one that made the step",
);
const undo: Option<boolean> = switchOption(
  "--undo",
  "restore the step that the last poke replaced",
);
const keepFiles: Option<boolean> = switchOption(
  "--keep-files",
  "leave the files as they are, instead of putting them back to what they were before the step",
);
export const poke: Command = {
  description: "Run the last step again with an extra prompt; the new step replaces it.",
  arguments: [threadId],
  options: [promptOption, promptFileOption, pokeAgent, keepFiles, undo],
  example: '7F3K --prompt "Shorter, please"',
  run: async (given, io) => {
    const { poke, undo: undoPoke } = await import("./steer/poke.ts");
    const [id, agent] = [given(threadId), given(pokeAgent)];
    const keeps = given(keepFiles);
    if (!given(undo)) {
      return poke({ id, prompt: promptSource(given), agent, keepFiles: keeps }, io);
    }
    if (given(promptOption) !== null || given(promptFileOption) !== null || agent !== null) {
      throw usageError("--undo restores the replaced step: it takes no prompt and no agent");
    }
    if (keeps) throw usageError("--undo restores the replaced step, not its files");
    return undoPoke(id, io);
  },
};
