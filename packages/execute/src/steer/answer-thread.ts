/** A person's answer: the step of the role that the person plays.
 *
 *  1. It is checked against the role's form first; what does not fit changes nothing.
 *  2. Order of effects: the answer's blobs together with the head, then a runner. A crash in between leaves an idle
 *     thread whose answer is stored; `resume` continues it.
 *  3. Of two answers at the same moment, one is stored and the other is told (`ANSWER_TAKEN`).
 *  4. After the deadline no answer is taken: the thread continues by its rule for `timeout`. */
import {
  err,
  type Failure,
  failure,
  failureFrom,
  isFinished,
  isPersonWait,
  type JsonObject,
  ok,
  type PersonWait,
  type Result,
  suspensionOf,
  type ThreadRecord,
  waitsOf,
} from "@uncaged/workflow-protocol";
import { encodeStep } from "../chain/append-step.ts";
import { loadChain } from "../chain/chain.ts";
import { placeAfter } from "../chain/chain-cursor.ts";
import { finishedRefusal } from "../lease/finished-refusal.ts";
import { readAgain } from "../lease/read-again.ts";
import { answeredStep } from "../run/person-step.ts";
import { isOverdue } from "../run/person-wait.ts";
import { othersWereFirst, startRunner } from "../runner/start-runner.ts";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "../watch/observe.ts";
import { checkAnswer } from "./check-answer.ts";

/** The person that a thread waits for, and may still answer. `TRANSITION_INVALID`: it waits for nobody, or for
 *  something else. */
export function awaitedPerson(thread: ThreadRecord, nowMs: number): Result<PersonWait, Failure> {
  const wait = suspensionOf(thread);
  if (wait !== null && isPersonWait(wait)) return ok(wait);
  return err(refusalOf(thread, nowMs));
}

/** Stores the answer and starts a runner. Refused: `TRANSITION_INVALID`, `ANSWER_INVALID`, `ANSWER_LATE`,
 *  `ANSWER_TAKEN`. */
export async function answerThread(
  engine: Engine,
  thread: ThreadRecord,
  answer: { meta: JsonObject; user: string },
): Promise<Result<ThreadRecord, Failure>> {
  const wait = awaitedPerson(thread, engine.now());
  if (!wait.ok) return wait;
  if (isOverdue(wait.value, engine.now())) {
    await goOn(engine, thread.threadId);
    return err(late(thread.threadId, wait.value));
  }
  const meta = checkAnswer(wait.value, answer.meta);
  if (!meta.ok) return meta;
  const stored = await publish(engine, thread, wait.value, { ...answer, meta: meta.value });
  if (!stored.ok) return stored;
  const runner = await goOn(engine, thread.threadId);
  return runner.ok ? ok(await readAgain(engine, thread)) : runner;
}

async function publish(
  engine: Engine,
  thread: ThreadRecord,
  wait: PersonWait,
  answer: { meta: JsonObject; user: string },
): Promise<Result<null, Failure>> {
  const { threadId, head: from, cwd } = thread;
  const nowMs = engine.now();
  const chain = await loadChain(engine.cas, thread);
  const output = answeredStep(wait, answer, { cwd, nowMs });
  const { content, state } = await encodeStep(engine.cas, placeAfter(thread, chain), {
    output,
    nowMs,
  });
  try {
    await engine.cas.publish([content, state], {
      ...{ kind: "answer", threadId, from, to: state.hash, toSha256: state.sha256, nowMs },
      waits: waitsOf(thread).filter((each) => each !== wait),
    });
    return ok(null);
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

/** Somebody else may have started one. */
async function goOn(engine: Engine, threadId: string): Promise<Result<null, Failure>> {
  const runner = await startRunner(engine, threadId);
  return runner.ok || othersWereFirst(runner.error) ? ok(null) : runner;
}

function late(threadId: string, { role, deadline }: PersonWait): Failure {
  const until = deadline === null ? "" : ` on ${new Date(deadline).toISOString()}`;
  return failure(
    "ANSWER_LATE",
    `the time to answer for role ${role} of thread ${threadId} ended${until}; the answer was not recorded`,
    `the thread continues by its rule for timeout; see: uncaged-workflow thread show ${threadId}`,
  );
}

function refusalOf(thread: ThreadRecord, nowMs: number): Failure {
  const { threadId } = thread;
  if (isFinished(thread)) return finishedRefusal(thread, "a finished thread asks nobody");
  const wait = suspensionOf(thread);
  if (wait === null) {
    return failure(
      "TRANSITION_INVALID",
      `thread ${threadId} is ${observedStatus(thread, nowMs).status}; it waits for no answer`,
      `see: uncaged-workflow thread show ${threadId}`,
    );
  }
  return failure(
    "TRANSITION_INVALID",
    `thread ${threadId} waits for no person to play a role: ${wait.message}`,
    `continue with: uncaged-workflow thread resume ${threadId}`,
  );
}
