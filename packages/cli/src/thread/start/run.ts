import { resolve } from "node:path";
import {
  type Engine,
  runningHost,
  startThread,
  threadsBeside,
  workTreeOf,
} from "@uncaged/workflow-execute";
import {
  type Failure,
  failure,
  type Limits,
  ok,
  queuePlaceOf,
  type Result,
  type ThreadLabels,
  type ThreadRecord,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { isAtTerminal } from "../../command/at-terminal.ts";
import type { Output } from "../../command/command.ts";
import { demandFolder, errandOf } from "../../command/errand.ts";
import type { Io } from "../../command/io.ts";
import { type PromptSource, readPrompt } from "../../command/prompt.ts";
import { threadOfStep } from "../../command/thread-of-step.ts";
import { isPlain, serves, startFor } from "../../command/who-serves.ts";
import { withEngine } from "../../command/with-engine.ts";
import { workingFolder } from "../../command/working-folder.ts";
import { writeText } from "../../command/write-text.ts";
import { stayWith } from "../look/stay.ts";
import type { Stay } from "../look/stay-options.ts";
import { queuedFor } from "../view/queued-for.ts";
import type { Queueing } from "./queue-options.ts";

export type RunOptions = {
  workflow: string;
  prompt: PromptSource;
  startKey: string | null;
  /** Relative to the current directory; null: that directory. */
  cwd: string | null;
  /** It works in a git worktree of its own, which begins at this commit, or at HEAD; left out: where the workflow says. */
  worktree?: { base: string | null } | undefined;
  /** null: those of the workflow. */
  limits: Limits | null;
  /** null: the first line of its prompt stands for it. */
  title: string | null;
  labels: ThreadLabels;
  queueing: Queueing;
  /** `background` and `idle` return at once. */
  stay: Stay | "idle";
};

/** Starts a thread, and stays with it if asked. */
export async function runWorkflow(opts: RunOptions, io: Io): Promise<Result<Output, Failure>> {
  const errand = errandOf(io.env);
  const source: PromptSource = errand === null ? opts.prompt : { kind: "file", path: "-" };
  const prompt = (await readPrompt(source, io)) || (await askPrompt(io));
  const cwd = workingFolder(resolve(errand?.cwd ?? io.cwd, opts.cwd ?? ""));
  const { workflow, startKey, limits, title, labels, stay, queueing } = opts;
  return withEngine(io, async (engine) => {
    if (errand !== null) demandFolder(errand, engine.root, cwd);
    const { priority, queue, pool, needs } = queueing;
    const run = queue !== null ? { queue } : stay === "idle" ? "idle" : "background";
    const starter = threadOfStep(io.env);
    // Before it is one of them.
    const beside = opts.worktree === undefined ? await threadsBeside(engine, cwd) : [];
    const started = await startThread(engine, {
      ...{ workflow, prompt, cwd, startKey, limits, title, labels },
      worktree: opts.worktree,
      starter,
      ...{ priority, pool, needs },
      run,
    });
    if (!started.ok) return started;
    const thread = started.value;
    await tellNeighbours(thread, beside, io);
    const { threadId } = thread;
    await tellQueued(engine, thread, io);
    if (stay === "background" || stay === "idle") {
      const place = queuePlaceOf(thread);
      const queue = place === null ? {} : { queue: place };
      return ok({ document: { threadId, ...queue }, human: () => threadId });
    }
    return stayWith({ engine, thread, after: 0 }, stay, io);
  });
}

/** Threads in the same work tree see each other's half-done changes. */
async function tellNeighbours(
  thread: ThreadRecord,
  beside: readonly ThreadRecord[],
  io: Io,
): Promise<void> {
  const others = beside.filter(({ threadId }) => threadId !== thread.threadId);
  const [first] = others;
  if (first === undefined || workTreeOf(thread.cwd) !== workTreeOf(first.cwd)) return;
  const named = others.map(({ threadId, workflow }) => `${threadId} (${workflow})`).join(", ");
  await writeText(
    io.stderr,
    `warning: ${named} works in the same git work tree; to keep them apart: --worktree\n`,
  );
}

/** On stderr: stdout has only the id. */
async function tellQueued(
  { root, workers, now }: Pick<Engine, "root" | "workers" | "now">,
  thread: ThreadRecord,
  io: Io,
): Promise<void> {
  const place = queuePlaceOf(thread);
  if (place === null) return;
  const isServed =
    (isPlain(thread) && runningHost(root) !== null) ||
    (await workers.list(now())).some((worker) => serves(worker, thread));
  const how = isServed ? "" : `; no host is up to start it: ${startFor(thread)}`;
  await writeText(io.stderr, `queued: it ${queuedFor(place)}${how}\n`);
}

/** Asks the person at the terminal for what they left out. Without a terminal there is nobody to ask. */
async function askPrompt(io: Io): Promise<string> {
  if (!isAtTerminal(io)) return "";
  const { terminalQuestions } = await import("../../terminal/questions.ts");
  const prompt = await terminalQuestions(io.env).longText("What shall be done?", {
    suggestion: "",
    check: (text) => (text === "" ? "say what, or cancel with Ctrl-C" : null),
  });
  if (prompt !== null) return prompt;
  throw new WorkflowError(failure("THREAD_ABORTED", "cancelled; no thread was started", ""));
}
