import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type Engine, startThread } from "@uncaged/workflow-execute";
import {
  type Failure,
  failure,
  type Limits,
  type LiveEvent,
  ok,
  type Result,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { misuse } from "../options.ts";
import { type PromptSource, readPrompt } from "../prompt.ts";
import { styleOf } from "../style.ts";
import { withEngine } from "../with-engine.ts";
import { follow } from "./live.ts";
import { liveView } from "./live-view.ts";
import { waitToEnd } from "./wait.ts";

export type RunOptions = {
  workflow: string;
  prompt: PromptSource;
  startKey: string | null;
  /** Relative to the current directory; null: that directory. */
  cwd: string | null;
  /** null: those of the workflow. */
  limits: Limits | null;
  /** `background` and `idle` return at once. */
  stay: "background" | "idle" | "wait" | "live";
};

/** Starts a thread, and stays with it if asked. */
export async function runWorkflow(opts: RunOptions, io: Io): Promise<Result<Output, Failure>> {
  const prompt = await readPrompt(opts.prompt, io);
  const cwd = folder(resolve(io.cwd, opts.cwd ?? ""));
  const { workflow, startKey, limits, stay } = opts;
  return withEngine(io, async (engine) => {
    const run = stay === "idle" ? "idle" : "background";
    const started = await startThread(engine, { workflow, prompt, cwd, startKey, limits, run });
    if (!started.ok) return started;
    const thread = started.value;
    const { threadId } = thread;
    if (stay === "background" || stay === "idle") {
      return ok({ document: { threadId }, human: () => threadId });
    }
    const signal = io.interruption();
    await io.stderr.write(`${styleOf(io.stderr).dim("thread")} ${threadId}\n`);
    if (stay === "live") await showLive({ engine, threadId }, signal, io);
    return waitToEnd({ engine, thread }, signal, io);
  });
}

/** With `--json` stdout holds one document, so what happens meanwhile is shown on stderr. How the thread
 *  ended is what the command says at last. */
function showLive(
  at: { engine: Engine; threadId: string },
  signal: AbortSignal,
  io: Io,
): Promise<void> {
  const to = io.json ? io.stderr : io.stdout;
  const view = liveView(styleOf(to), "usual");
  const write = (event: LiveEvent): string => (event.type === "status" ? "" : view(event));
  return follow(at, { role: null, signal, write, to });
}

function folder(path: string): string {
  if (path.includes("\0")) throw misuse("a directory's name holds no NUL", "check --cwd");
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new WorkflowError(
    failure("FILE_NOT_FOUND", `${JSON.stringify(path)} is not a directory`, "check --cwd"),
  );
}
