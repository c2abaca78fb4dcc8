import { constants } from "node:os";
import {
  type Failure,
  failure,
  ok,
  type Result,
  type StepScope,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import {
  type CliRun,
  type CliStop,
  captureOutput,
  isolationOf,
  type OutputLine,
  spawnCli,
  textEmitter,
} from "@uncaged/workflow-util-agent";
import type { CommandAgentConfig, CommandResult } from "./command-config.ts";
import type { CommandOrder } from "./command-order.ts";
import { lastWords } from "./last-words.ts";

export type FinishedCommand = {
  result: CommandResult;
  /** Unix milliseconds. */
  completedAt: number;
  /** Why it was ended early, with `AGENT_TIMEOUT` or `THREAD_ABORTED`; null: it ended by itself. */
  stopped: Failure | null;
};

const MIB = 1024 * 1024;
const MAX_LINE_CHARS = 64 * 1024;
const BLOCK_CHARS = 16 * 1024;

/** Runs the command to its end. Fails when it cannot be started or ended (`AGENT_FAILED`), or was stopped before it
 *  started (`THREAD_ABORTED`). */
export async function runCommand(
  order: CommandOrder,
  config: CommandAgentConfig,
  runtime: Pick<WorkflowRuntime, "emit" | "signal" | "step">,
): Promise<Result<FinishedCommand, Failure>> {
  const { cwd } = order;
  const transcript = captureOutput(config.maxOutputBytes ?? MIB);
  const live = textEmitter(runtime.emit);
  let block = "";
  const flush = (): void => {
    transcript.push(Buffer.from(block));
    block = "";
  };
  const onLine = (line: OutputLine): void => {
    const text = readable(line);
    // A buffer for each of millions of short lines would be most of the memory of a flood.
    block += `${text}\n`;
    if (block.length >= BLOCK_CHARS) flush();
    live.line({ text });
  };
  const done = await spawnCli(order.command, order.args, {
    ...config,
    ...order,
    tag: runtime.step.processTag,
    isolation: isolationOf({ ...runtime.step, cwd, offline: isOffline(runtime.step) }),
    signal: runtime.signal,
    maxLineChars: MAX_LINE_CHARS,
    redact: { redactor: order.redact, streams: "both" },
    onLine,
  }).finally(live.close);
  if (!done.ok) return done;
  flush();
  const run = done.value;
  const result = resultOf(run, trimLineBreaks(transcript.result().text));
  const stopped = run.stoppedBy === null ? null : whyStopped(run.stoppedBy, order, config, result);
  return ok({ result, completedAt: run.completedAt, stopped });
}

/** The command runs in a sandbox that has no network. */
export function isOffline({ rules }: StepScope): boolean {
  return rules?.tools?.network === false;
}

function resultOf(run: CliRun, output: string): CommandResult {
  return {
    exitCode: run.exitCode ?? 128 + (run.signal === null ? 0 : constants.signals[run.signal]),
    signal: run.signal,
    output,
    stdout: run.stdout.text,
    stderr: run.stderr.text,
    durationMs: run.completedAt - run.startedAt,
  };
}

function readable({ text, omittedChars }: OutputLine): string {
  return omittedChars === 0 ? text : `${text} [… ${omittedChars} characters left out …]`;
}

/** As a shell does with `$(…)`. */
function trimLineBreaks(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === "\n") end--;
  return text.slice(0, end);
}

function whyStopped(
  by: CliStop,
  { title }: CommandOrder,
  config: CommandAgentConfig,
  result: CommandResult,
): Failure {
  if (by === "abort") {
    return failure("THREAD_ABORTED", `${title} was ended because the thread was stopped`, "");
  }
  const [why, option] =
    by === "idle"
      ? [`printed nothing for ${config.idleTimeoutMs} ms`, "idleTimeoutMs"]
      : [`did not finish within ${config.timeoutMs} ms`, "timeoutMs"];
  return failure(
    "AGENT_TIMEOUT",
    `${title} ${why} and was ended${lastWords(result)}`,
    `if it may take longer, raise \`${option}\` where the agent is bound`,
  );
}
