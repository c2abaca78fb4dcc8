/** Commands for giving many agents work in one repository, each in a worktree of its own. */
import { TASK_STATES } from "@uncaged/workflow-protocol";
import type { Command, CommandGroup } from "../command/command.ts";
import {
  type Argument,
  choiceOption,
  countOption,
  type Given,
  type Option,
  optionalArgument,
  parsedOption,
  programArgument,
  requiredArgument,
  switchOption,
  textOption,
  usageError,
} from "../command/options.ts";

const WHICH = "which task; left out in its worktree";
const id: Argument<string | null> = optionalArgument("task", WHICH);
const task: Option<string | null> = textOption("--task <id>", WHICH);
const as: Option<string | null> = textOption(
  "--as <name>",
  "who does it; whoever worked on a task under a name cannot review it under that name",
);

/** The task that is named, in one of the two places. */
function idIn(given: Given): string | null {
  const [first, second] = [given(id), given(task)];
  if (first !== null && second !== null && first !== second)
    throw usageError(`two tasks are named: ${first} and ${second}; leave one out`);
  return first ?? second;
}

const newId: Argument<string> = requiredArgument("new-task", "what to call it, such as fix-login");
const description: Option<string | null> = textOption("--description <text>", "what is to be done");
const from: Option<string | null> = textOption(
  "--from <ref>",
  "a commit to begin from; default: the integration branch",
);

const workflow: Option<string | null> = textOption(
  "--workflow <name>",
  "start a thread of this registered workflow in the worktree; the task follows it",
);

const spawn: Command = {
  description: "Prepare a task: a branch, a worktree and a context file for its agent.",
  arguments: [newId],
  options: [description, from, workflow, as],
  example: 'fix-login --description "Users cannot log in with a plus sign in the address"',
  run: async (given, io) =>
    (await import("./verbs.ts")).spawn(
      {
        id: given(newId),
        description: given(description) ?? "",
        from: given(from),
        workflow: given(workflow),
        as: given(as),
      },
      io,
    ),
};

const state: Option<(typeof TASK_STATES)[number] | null> = choiceOption(
  "--state <state>",
  "only tasks in this state",
  TASK_STATES,
);
const stale: Option<boolean> = switchOption("--stale", "only tasks that nobody seems to care for");
const watch: Option<boolean> = switchOption("--watch", "show them again whenever they change");

const status: Command = {
  description: "Show the tasks of this repository.",
  arguments: [id],
  options: [task, state, stale, watch],
  example: "--stale",
  run: async (given, io) =>
    (await import("./status.ts")).status(
      { id: idIn(given), state: given(state), stale: given(stale), watch: given(watch) },
      io,
    ),
};

/** Also called `worker start`. */
export const startTask: Command = {
  description: "Begin to work on a task, as its agent, in its worktree.",
  arguments: [id],
  options: [task, as],
  example: "",
  run: async (given, io) =>
    (await import("./verbs.ts")).start({ id: idIn(given), as: given(as) }, io),
};

const progress: Option<number | null> = parsedOption(
  "--progress <share>",
  "how much is done, from 0 to 1",
  (text, name) => {
    const share = Number(text);
    if (/^[0-9]*\.?[0-9]+$/.test(text) && share <= 1) return share;
    throw usageError(`${name} must be a number from 0 to 1; it was ${JSON.stringify(text)}`);
  },
);

const heartbeat: Command = {
  description: "Say that a task's agent is alive, and how far it is.",
  arguments: [id],
  options: [task, progress],
  example: "--progress 0.5",
  run: async (given, io) =>
    (await import("./verbs.ts")).heartbeat({ id: idIn(given), progress: given(progress) }, io),
};

const command: Argument<readonly string[]> = programArgument("the command to run");

const run: Command = {
  description: "Run a command as a task's agent; heartbeats are given for it every 15 seconds.",
  arguments: [command],
  options: [task],
  example: "-- npm test",
  run: async (given, io) =>
    (await import("./run-in-task.ts")).runInTask({ id: given(task), command: given(command) }, io),
};

const skipRebase: Option<boolean> = switchOption(
  "--skip-rebase",
  "refuse a branch that is behind instead of rebasing it",
);

const done: Command = {
  description: "Offer a task for review: its branch is rebased and pushed.",
  arguments: [id],
  options: [task, skipRebase],
  example: "",
  run: async (given, io) =>
    (await import("./verbs.ts")).done({ id: idIn(given), skipRebase: given(skipRebase) }, io),
};

const reason: Argument<string> = requiredArgument("reason", "why it cannot be done");

const fail: Command = {
  description: "Give a task up.",
  arguments: [reason],
  options: [task],
  example: '"the service it needs is down"',
  run: async (given, io) =>
    (await import("./verbs.ts")).fail({ id: given(task), reason: given(reason) }, io),
};

const approve: Command = {
  description: "Approve what a task offers; refused to whoever worked on it.",
  arguments: [id],
  options: [task, as],
  example: "fix-login",
  run: async (given, io) =>
    (await import("./verbs.ts")).approve({ id: idIn(given), as: given(as) }, io),
};

const comment: Option<string | null> = textOption("--comment <text>", "what has to be changed");

const requestChanges: Command = {
  description: "Send a task back to its agent.",
  arguments: [id],
  options: [task, comment, as],
  example: 'fix-login --comment "a test is missing"',
  run: async (given, io) =>
    (await import("./verbs.ts")).changes(
      { id: idIn(given), comment: given(comment), as: given(as) },
      io,
    ),
};

const deleteBranch: Option<boolean> = switchOption(
  "--delete-branch",
  "also delete the task's branch, here and on the remote",
);
const all: Option<boolean> = switchOption(
  "--all",
  "merge all that are approved, in batches; one that fails the check is sent back alone",
);
const check: Option<string | null> = textOption(
  "--check <command>",
  "a shell command that the merged files must pass; default: config.mergeCheck",
);
const atOnce: Option<number | null> = countOption(
  "--at-once <n>",
  "with --all: merge at most this many before one check (default: 8)",
  { atLeast: 1 },
);
const merge: Command = {
  description: "Merge what was approved into the integration branch. No checkout is touched.",
  arguments: [id],
  options: [task, all, check, atOnce, deleteBranch],
  example: '--all --check "npm test"',
  run: async (given, io) => {
    if (given(all) && idIn(given) !== null)
      throw usageError("--all merges every approved task; leave out --all or --task");
    return (await import("./merge.ts")).merge(
      {
        id: idIn(given),
        all: given(all),
        check: given(check),
        atOnce: given(atOnce),
        deleteBranch: given(deleteBranch),
      },
      io,
    );
  },
};

const cleanup: Option<boolean> = switchOption(
  "--cleanup",
  "remove its worktrees and branch; refused while anything there is not saved",
);
const archive: Option<boolean> = switchOption(
  "--archive",
  "keep its files and commits under refs/uncaged/archive first",
);

const cancel: Command = {
  description: "End a task that has not been merged.",
  arguments: [id],
  options: [task, cleanup, archive],
  example: "fix-login --cleanup --archive",
  run: async (given, io) =>
    (await import("./verbs.ts")).cancel(
      { id: idIn(given), cleanup: given(cleanup), archive: given(archive) },
      io,
    ),
};

const retry: Command = {
  description: "Give a failed task out again, in a new worktree on the same branch.",
  arguments: [id],
  options: [task],
  example: "fix-login",
  run: async (given, io) => (await import("./verbs.ts")).retry({ id: idIn(given) }, io),
};

const board: Command = {
  description: "Show the tasks of this repository as a board, a column for each state.",
  arguments: [],
  options: [],
  example: "",
  run: async (_given, io) => (await import("./status.ts")).board(io),
};

const follow: Option<boolean> = switchOption("--follow", "wait for more until it is interrupted");
const fromSeq: Option<number | null> = countOption(
  "--from <seq>",
  "begin with the message of this number (default: the first)",
  { atLeast: 0 },
);

const bus: Command = {
  description: "Print what happened to the tasks of this repository as JSON Lines.",
  arguments: [],
  options: [follow, fromSeq],
  example: "--follow",
  run: async (given, io) =>
    (await import("./bus.ts")).bus({ follow: given(follow), from: given(fromSeq) ?? 0 }, io),
};

export const taskCommands: CommandGroup = {
  commands: {
    spawn,
    status,
    board,
    start: startTask,
    heartbeat,
    run,
    done,
    fail,
    approve,
    "request-changes": requestChanges,
    merge,
    cancel,
    retry,
    bus,
  },
};
