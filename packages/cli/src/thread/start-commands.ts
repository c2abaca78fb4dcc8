/** Commands that cause steps: run, exec, fork; and live, which watches them. */
import type { ForkFiles, ForkPoint } from "@uncaged/workflow-execute";
import type { Command } from "../command/command.ts";
import {
  type Argument,
  bareOrCountOption,
  countOption,
  type Given,
  negatedOption,
  type Option,
  optionalArgument,
  requiredArgument,
  switchOption,
  textOption,
  textsOption,
  usageError,
} from "../command/options.ts";
import { promptFileOption, promptOption, promptSource, readPrompt } from "../command/prompt.ts";
import { stayOf, stayOptions } from "./look/stay-options.ts";
import { limitOptions, limitsOf } from "./start/limit-options.ts";
import { labelOption, labelsOf, titleOf, titleOption } from "./start/name-options.ts";
import { queueingOf, queueOptions } from "./start/queue-options.ts";
import { worktreeOf, worktreeOption } from "./start/worktree-option.ts";

export const threadId: Argument<string> = requiredArgument(
  "id",
  "thread id, or its beginning or end",
);
const idle: Option<boolean> = switchOption("--idle", "create the thread without running it");

const workflow: Argument<string> = requiredArgument("name", "a registered workflow");
const idKey: Option<string | null> = textOption(
  "--id-key <key>",
  "the same key returns the same thread, however often you repeat the call; another prompt is refused",
);
const cwd: Option<string | null> = textOption(
  "--cwd <path>",
  "directory in which the roles work (default: this one)",
);
const dry: Option<boolean> = switchOption(
  "--dry-run",
  "only follow the rules, with --stubs; nothing runs and nothing is stored",
);
const stubs: Option<string | null> = textOption(
  "--stubs <file>",
  "YAML or JSON: what each role returns in a dry run; - reads it from stdin",
);
export const run: Command = {
  description: "Start a thread of a workflow in the background and print its id.",
  arguments: [workflow],
  options: [
    promptOption,
    promptFileOption,
    ...stayOptions,
    idle,
    idKey,
    cwd,
    worktreeOption,
    titleOption,
    labelOption,
    ...queueOptions,
    dry,
    stubs,
    ...limitOptions,
  ],
  example: 'demo --prompt "Say hello" --wait',
  errand: {
    options: [
      ...[promptOption, promptFileOption, ...stayOptions, idle, idKey, cwd],
      ...[titleOption, labelOption, ...queueOptions, ...limitOptions],
    ],
    input: (given, io) => readPrompt(promptSource(given), io),
  },
  run: async (given, io) => {
    const watched = stayOf(given);
    if (given(idle) && watched !== "background") {
      throw usageError("--idle makes a thread that nobody runs: there is nothing to wait for");
    }
    const queueing = queueingOf(given, io.now());
    if (given(idle) && queueing.queue !== null)
      throw usageError("--idle makes a thread that nobody runs: it does not wait in the queue");
    if (given(dry) !== (given(stubs) !== null)) {
      throw usageError("--dry-run and --stubs go together: the stubs stand for the agents");
    }
    const stubFile = given(stubs);
    if (stubFile !== null) {
      const { tryOut } = await import("./start/dry-run.ts");
      const [prompt, limits] = [promptSource(given), limitsOf(given)];
      return tryOut({ workflow: given(workflow), prompt, stubs: stubFile, limits }, io);
    }
    const { runWorkflow } = await import("./start/run.ts");
    return runWorkflow(
      {
        workflow: given(workflow),
        prompt: promptSource(given),
        startKey: given(idKey),
        cwd: given(cwd),
        worktree: worktreeOf(given),
        limits: limitsOf(given),
        title: titleOf(given),
        labels: labelsOf(given),
        queueing,
        stay: given(idle) ? "idle" : watched,
      },
      io,
    );
  },
};

const steps: Option<number | null> = countOption("--count <n>", "how many steps (default: 1)", {
  atLeast: 1,
});
export const exec: Command = {
  description: "Run one step of an idle thread here, in the foreground, and leave it idle again.",
  arguments: [threadId],
  options: [steps],
  example: "7F3K --count 2",
  run: async (given, io) =>
    (await import("./start/exec.ts")).execSteps(
      { id: given(threadId), count: given(steps) ?? 1 },
      io,
    ),
};

const fromRole: Option<string | null> = textOption(
  "--from-role <role>",
  "keep the steps up to the last one of this role",
);
const fromStep: Option<number | null> = countOption(
  "--from-step <n>",
  "keep the first n steps; 0 keeps none",
  { atLeast: 0 },
);
function forkPoint(given: Given): ForkPoint {
  const [role, step] = [given(fromRole), given(fromStep)];
  if (role !== null && step !== null)
    throw usageError("--from-role and --from-step cannot be combined");
  if (role !== null) return { kind: "role", role };
  return step !== null ? { kind: "step", step } : { kind: "head" };
}

const forkAgent: Option<string | null> = textOption(
  "--agent <name>",
  "an agent of config.agents, to play every further step",
);
const forkBundle: Option<string | null> = textOption(
  "--bundle <version>",
  "another version to continue with: a workflow, workflow@hash, or a hash",
);
const ownFiles: Option<boolean> = switchOption(
  "--files",
  "in a git worktree of its own with the files of that step, or not at all",
);
const noFiles: Option<boolean> = negatedOption(
  "--no-files",
  "where this thread works, with the files that are there now",
);
/** Default: its own files when they are known. */
function forkFiles(given: Given): ForkFiles {
  if (given(noFiles)) return "shared";
  return given(ownFiles) ? "own" : "as known";
}
export const fork: Command = {
  description:
    "Create a new thread that shares this one's steps and continues from there; --prompt is for its next step.",
  arguments: [threadId],
  options: [
    fromRole,
    fromStep,
    promptOption,
    promptFileOption,
    forkAgent,
    forkBundle,
    ownFiles,
    noFiles,
    idle,
    ...limitOptions,
  ],
  example: '7F3K --from-step 2 --prompt "Keep the old name"',
  run: async (given, io) => {
    const { fork } = await import("./steer/fork.ts");
    return fork(
      {
        id: given(threadId),
        from: forkPoint(given),
        agent: given(forkAgent),
        limits: limitsOf(given),
        bundle: given(forkBundle),
        prompt: promptSource(given),
        files: forkFiles(given),
        startKey: null,
        run: given(idle) ? "idle" : "background",
      },
      io,
    );
  },
};

const contenders: Option<readonly string[]> = textsOption(
  "--agent <name...>",
  "an agent of config.agents; give two or more",
);
export const race: Command = {
  description:
    "Let several agents continue from the same step, side by side, and compare the results.",
  arguments: [threadId],
  options: [fromRole, fromStep, contenders, ownFiles, noFiles, ...limitOptions],
  example: "7F3K --from-step 2 --agent claude --agent codex",
  run: async (given, io) => {
    const agents = [...new Set(given(contenders))];
    if (agents.length < 2)
      throw usageError("a race needs at least two agents: --agent a --agent b");
    const { race: raceAgents } = await import("./start/race.ts");
    const [id, from, limits] = [given(threadId), forkPoint(given), limitsOf(given)];
    return raceAgents({ id, from, agents, limits, files: forkFiles(given) }, io);
  },
};

const watched: Argument<string | null> = optionalArgument(
  "id",
  "thread id, or its beginning or end",
);
const latest: Option<boolean> = switchOption("--latest", "the newest thread");
const role: Option<string | null> = textOption(
  "--role <role>",
  "only what this role says and does",
);
const debug: Option<boolean> = switchOption("--debug", "everything that was recorded, with times");
const tail: Option<number | null> = bareOrCountOption(
  "--tail [n]",
  "begin with the last n events",
  { atLeast: 0, bare: 50 },
);
const after: Option<number | null> = countOption(
  "--after <seq>",
  "begin after the event with this number, as shown by --json",
  { atLeast: 0 },
);
export const live: Command = {
  description:
    "Watch what a thread's agents say and do, from the first step, until it stops running; with --json one event per line. Exits with the thread's code.",
  arguments: [watched],
  options: [latest, role, tail, after, debug],
  example: "--latest --tail",
  run: async (given, io) => {
    // First: an id directly after a bare --tail is parsed as its number.
    const [last, seq] = [given(tail), given(after)];
    const id = given(watched);
    if ((id === null) !== given(latest)) {
      throw usageError("name one thread: give its id, or --latest");
    }
    if (last !== null && seq !== null) throw usageError("--tail and --after cannot be combined");
    const from = last !== null ? { last } : { after: seq ?? 0 };
    const { watchThread } = await import("./look/live.ts");
    const detail = given(debug) ? "all" : "usual";
    return watchThread({ id, role: given(role), from, detail }, io);
  },
};
