/** Evaluates expressions in a separate process, within a time and a memory limit.
 *
 *  1. The engine's thread never waits for an expression's computation: its cost is paid elsewhere. A worker thread
 *     would not do: one allocation beyond its heap ends the whole process.
 *  2. The process keeps the threads it was asked about and is sent only the steps added since.
 *  3. A process that hit a limit is gone; the next question starts another, which is sent everything again. One that
 *     was killed from outside is replaced once for the same question.
 *  4. It starts with the first question, and ends with its caller. */
import type { ModeratorContext } from "@uncaged/workflow-protocol";
import type { Wanted } from "./answer-in.ts";
import { type Ended, EvaluatorProcess } from "./evaluator-process.ts";
import type { Expression } from "./expression.ts";
import { LIMITS } from "./limits.ts";
import type { Names } from "./names.ts";
import { jsonBatches, ToldThreads } from "./told-threads.ts";

export type Question = {
  context: ModeratorContext;
  names: Names;
  expression: Pick<Expression, "text">;
  wanted: Wanted;
  limitMs: number;
};

/** Throws an `Error` that says why there is no answer. */
export async function evaluateApart(
  question: Question,
): Promise<{ answer: string; tookMs: number }> {
  // One at a time: the time limit is for one question, not for those that wait for the same process.
  const turn = last.then(() => answerTo(question));
  last = turn.catch(() => undefined);
  return turn;
}

let last: Promise<unknown> = Promise.resolve();
let current: { process: EvaluatorProcess; told: ToldThreads } | null = null;

async function answerTo(question: Question): Promise<{ answer: string; tookMs: number }> {
  const first = await askOnce(question);
  const { reply, tookMs } = first.reply === "gone" ? await askOnce(question) : first;
  if (typeof reply === "string") throw new Error(WORDS[reply](question));
  if (reply.type === "failed") throw new Error(reply.cause);
  if (reply.type === "ready") throw new Error("the evaluating process returned no answer");
  return { answer: reply.answer, tookMs };
}

const WORDS: Readonly<Record<Ended, (question: Question) => string>> = {
  time: () => `it took longer than ${LIMITS.timeoutMs} ms`,
  memory: () => `it needed more than ${LIMITS.memoryMiB} MiB of memory`,
  gone: () => "the process that evaluates it could not be started, or was ended from outside",
};

type Reply = Awaited<ReturnType<EvaluatorProcess["ask"]>>;

async function askOnce(question: Question): Promise<{ reply: Reply; tookMs: number }> {
  const { expression, wanted, limitMs } = question;
  const names = JSON.stringify(question.names);
  const prepared = await prepare(question.context);
  if (prepared === null) return { reply: "gone", tookMs: 0 };
  const { process, thread, steps } = prepared;
  const startedAt = performance.now();
  const { text } = expression;
  const message = { type: "evaluate", thread, steps, names, expression: text, wanted } as const;
  const reply = await process.ask(message, limitMs);
  return { reply, tookMs: performance.now() - startedAt };
}

type Prepared = { process: EvaluatorProcess; thread: number; steps: string | null };

/** A process that has everything except the steps sent with the question; null when there is none. */
async function prepare(context: ModeratorContext): Promise<Prepared | null> {
  const { process, told } = await running(0);
  if (process.isGone) return null;
  const known = told.known(context);
  const batches = await jsonBatches(context.steps.slice(known?.length ?? 0));
  const chars = batches.reduce((sum, text) => sum + text.length, 0);
  for (const thread of told.forgetFor(known, chars, process.historyMiB * CHARS_PER_MIB)) {
    await process.tell({ type: "forget", thread });
  }
  const neededMiB = ((known?.chars ?? 0) + chars) / CHARS_PER_MIB;
  if (neededMiB > process.historyMiB) {
    process.end();
    await running(neededMiB);
    return prepare(context);
  }
  const { id, head } = told.note(context, known, chars);
  if (known !== null && batches.length < 2) {
    return { process, thread: id, steps: batches[0] ?? null };
  }
  for (const steps of known === null ? ["[]", ...batches] : batches) {
    await process.tell({ type: "load", thread: id, head, steps });
  }
  // Reading a long history does not count towards the limit.
  const read = {
    type: "evaluate",
    thread: id,
    steps: null,
    names: "{}",
    expression: "true",
    wanted: "truth",
  } as const;
  const reply = await process.ask(read, LOAD_LIMIT_MS);
  return typeof reply === "object" ? { process, thread: id, steps: null } : null;
}

/** The current process, or a new one with room for such a history. */
async function running(
  neededMiB: number,
): Promise<{ process: EvaluatorProcess; told: ToldThreads }> {
  if (current === null || current.process.isGone) {
    let historyMiB = LEAST_HISTORY_MIB;
    while (historyMiB < neededMiB) historyMiB *= 4;
    current = { process: new EvaluatorProcess(historyMiB), told: new ToldThreads() };
  }
  if (!(await current.process.isReady())) current.process.end();
  return current;
}

const LOAD_LIMIT_MS = 60_000;
const LEAST_HISTORY_MIB = 64;
/** A character of JSON takes up to eight bytes once it is parsed, indexed and moved. */
const CHARS_PER_MIB = 131_072;
