/** The program that evaluates what the engine's own thread should not: `dist/evaluator-program.js`.
 *
 *  1. It holds nothing but the steps it was sent, and uses nothing else: no file, no network, no environment.
 *  2. Its heap is limited when it starts, its time by the caller. Past either limit it ends, and nothing else does.
 *  3. It does not outlive its caller, even while it is busy: another thread waits for the end of its input. */
import { Worker } from "node:worker_threads";
import type { ModeratorStep } from "@uncaged/workflow-protocol";
import { answerIn } from "./answer-in.ts";
import { isJsonWithin } from "./bounded-texts.ts";
import type { FromEvaluator, ThreadHead, ToEvaluator } from "./evaluator-messages.ts";
import { causeOf, type Expression, parseExpression } from "./expression.ts";
import { LIMITS } from "./limits.ts";
import { type Names, rootOf } from "./names.ts";

const END_WITH_INPUT = `
const { readSync } = require("node:fs");
try { while (readSync(0, Buffer.alloc(1)) > 0); } catch {}
process.kill(process.pid, "SIGKILL");
`;
/** Limit for a message: it comes from the expression, which determines its length. */
const CAUSE_CHARS = 2_000;
const MOST_EXPRESSIONS = 1_000;

type Thread = { head: ThreadHead; steps: ModeratorStep[] };

const threads = new Map<number, Thread>();
const expressions = new Map<string, Expression>();

new Worker(END_WITH_INPUT, { eval: true });
refuseHugeJson();
// A signal to the group is for the engine to handle, which still asks about the last step.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
process.on("message", (message: ToEvaluator) => {
  if (message.type === "forget") threads.delete(message.thread);
  else if (message.type === "load") load(message);
  else void evaluate(message).then(say);
});
say({ type: "ready" });

function say(message: FromEvaluator): void {
  process.send?.(message);
}

function load({ thread, head, steps }: Extract<ToEvaluator, { type: "load" }>): void {
  const known = threads.get(thread)?.steps ?? [];
  known.push(...stepsIn(steps));
  threads.set(thread, { head, steps: known });
}

async function evaluate(
  message: Extract<ToEvaluator, { type: "evaluate" }>,
): Promise<FromEvaluator> {
  try {
    const thread = threads.get(message.thread);
    if (thread === undefined) throw new Error("the thread was not loaded");
    if (message.steps !== null) thread.steps.push(...stepsIn(message.steps));
    const root = rootOf({ ...thread.head, steps: thread.steps }, namesIn(message.names));
    const value = await expressionOf(message.expression).evaluate(root);
    return { type: "answer", answer: answerIn(message.wanted, value, "apart") };
  } catch (thrown) {
    return { type: "failed", cause: causeOf(thrown).slice(0, CAUSE_CHARS) };
  }
}

function stepsIn(text: string): ModeratorStep[] {
  return JSON.parse(text);
}

function namesIn(text: string): Names {
  return JSON.parse(text);
}

function expressionOf(text: string): Expression {
  const known = expressions.get(text);
  if (known !== undefined) return known;
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  if (expressions.size >= MOST_EXPRESSIONS) expressions.clear();
  expressions.set(text, parsed.value);
  return parsed.value;
}

/** `&` and `$string` write a value out in one go, which the heap limit notices too late. */
function refuseHugeJson(): void {
  const write = JSON.stringify;
  const refusing = (...args: Parameters<typeof write>): string => {
    const indent = args[2] === undefined ? 0 : 2;
    if (isJsonWithin(args[0], LIMITS.textChars, indent)) return write(...args);
    throw new Error(`a value of more than ${LIMITS.textChars} characters as JSON`);
  };
  Object.assign(JSON, { stringify: refusing });
}
