/** A person's answer: the step of the role that the person plays.
 *
 *  1. It is checked against the role's form first; what does not fit changes nothing.
 *  2. Order of effects: the answer's blobs together with the head, then a runner. A crash in between leaves an idle
 *     thread whose answer is stored; `resume` continues it. A member of a group that somebody runs, or has to go on with,
 *     leaves the answer in the index, and whoever runs the group makes it a step.
 *  3. Of two answers at the same moment, one is stored and the other is told (`ANSWER_TAKEN`).
 *  4. After the deadline no answer is taken: the thread continues by its rule for `timeout`. */
import { GroupProgress } from "@uncaged/workflow-moderator";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  isFinished,
  isPersonWait,
  type JsonObject,
  leaseOf,
  ok,
  type PersonWait,
  type Result,
  type StepGroup,
  suspensionOf,
  type ThreadRecord,
  unwrap,
  waitsOf,
} from "@uncaged/workflow-protocol";
import { encodeStep } from "../chain/append-step.ts";
import { type Chain, loadChain, roleStates } from "../chain/chain.ts";
import { placeAfter } from "../chain/chain-cursor.ts";
import { finishedRefusal } from "../lease/finished-refusal.ts";
import { readAgain } from "../lease/read-again.ts";
import { bundleOf } from "../run/load-run.ts";
import { personProof } from "../run/person-proof.ts";
import { answeredStep } from "../run/person-step.ts";
import { isOverdue, isSame } from "../run/person-wait.ts";
import { othersWereFirst, startRunner } from "../runner/start-runner.ts";
import type { Engine } from "../storage/engine.ts";
import { observedStatus } from "../watch/observe.ts";
import { openWaits } from "../watch/open-waits.ts";
import { checkAnswer } from "./check-answer.ts";

/** Whom an answer is for. `member`: index of the member of a group; null: there is only one. */
export type Addressee = { member: number | null };

/** The person that a thread waits for, and may still answer. `TRANSITION_INVALID`: it waits for nobody, or for
 *  something else. `ANSWER_INVALID`: it waits for several, or not for this one. */
export async function awaitedPerson(
  engine: Pick<Engine, "store" | "now">,
  thread: ThreadRecord,
  { member }: Addressee,
): Promise<Result<PersonWait, Failure>> {
  const people = (await openWaits(engine, thread)).filter(isPersonWait);
  const [first, ...others] = people;
  if (first === undefined) return err(refusalOf(thread, engine.now()));
  const meant = member === null ? first : people.find((wait) => wait.member === member);
  if (meant === undefined || (member === null && others.length > 0))
    return err(unclear(thread.threadId, people, member));
  return ok(meant);
}

/** Stores the answer, and starts a runner unless the thread still waits for others. Refused: `TRANSITION_INVALID`,
 *  `ANSWER_INVALID`, `ANSWER_LATE`, `ANSWER_TAKEN`. */
export async function answerThread(
  engine: Engine,
  thread: ThreadRecord,
  answer: { meta: JsonObject; user: string } & Addressee,
): Promise<Result<ThreadRecord, Failure>> {
  const wait = await awaitedPerson(engine, thread, answer);
  if (!wait.ok) return wait;
  if (wait.value.permission === true) return permit(engine, thread, wait.value, answer);
  if (isOverdue(wait.value, engine.now())) {
    if (thread.status === "suspended" || isLeft(engine, thread))
      await goOn(engine, thread.threadId);
    return err(late(thread.threadId, wait.value));
  }
  const meta = checkAnswer(wait.value, answer.meta);
  if (!meta.ok) return meta;
  const stored = await store(engine, thread, wait.value, { ...answer, meta: meta.value });
  if (!stored.ok) return stored;
  if (stored.value === "rests") return ok(await readAgain(engine, thread));
  const runner = await goOn(engine, thread.threadId);
  return runner.ok ? ok(await readAgain(engine, thread)) : runner;
}

/** The running step takes the answer; if nobody answers in time, it denies the call on its own. */
async function permit(
  { store, now }: Pick<Engine, "store" | "now">,
  thread: ThreadRecord,
  wait: PersonWait,
  answer: { meta: JsonObject; user: string },
): Promise<Result<ThreadRecord, Failure>> {
  const { threadId } = thread;
  const meta = checkAnswer(wait, answer.meta);
  if (!meta.ok) return meta;
  const fence = leaseOf(thread)?.fence ?? 0;
  try {
    const said = { meta: meta.value, user: answer.user, at: now() };
    await store.answerAsk({ threadId, fence, wait, answer: said });
    return ok(thread);
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

/** What an answered thread needs. `rests`: it waits for others, or somebody runs it. */
type Next = "runner" | "rests";

/** Another member's answer, or a runner, changes the thread under ours; as long as this person is asked, it follows. */
async function store(
  engine: Engine,
  thread: ThreadRecord,
  wait: PersonWait,
  answer: { meta: JsonObject; user: string },
): Promise<Result<Next, Failure>> {
  let current = thread;
  while (true) {
    const leaves = current.status !== "suspended";
    const stored = await (leaves ? leave : publishAfter)(engine, current, wait, answer);
    if (stored.ok || stored.error.code !== "ANSWER_TAKEN") return stored;
    const now = await readAgain(engine, current);
    const asked = (await openWaits(engine, now)).some(
      (each) => isPersonWait(each) && isSame(each, wait),
    );
    const isAsBefore = now.head === current.head && now.status === current.status;
    if (!asked || isAsBefore) return stored;
    current = now;
  }
}

/** For whoever runs the group: only an owner appends beside agents. */
async function leave(
  engine: Engine,
  thread: ThreadRecord,
  wait: PersonWait,
  { meta, user }: { meta: JsonObject; user: string },
): Promise<Result<Next, Failure>> {
  const { threadId } = thread;
  try {
    const answer = { meta, user, at: engine.now() };
    await engine.store.answerAsk({ threadId, fence: 0, wait, answer });
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
  return ok(isLeft(engine, await readAgain(engine, thread)) ? "runner" : "rests");
}

/** Whether its runner is gone, and nobody has stopped it. */
function isLeft({ now }: Pick<Engine, "now">, thread: ThreadRecord): boolean {
  return thread.status === "running" && observedStatus(thread, now()).status !== "running";
}

async function publishAfter(
  engine: Engine,
  thread: ThreadRecord,
  wait: PersonWait,
  answer: { meta: JsonObject; user: string },
): Promise<Result<Next, Failure>> {
  const { threadId, head: from, cwd } = thread;
  const nowMs = engine.now();
  const chain = await loadChain(engine.cas, thread);
  const output = answeredStep(wait, answer, { cwd, nowMs });
  const group = placeOf(wait);
  const seen = await personProof(engine, {
    ...{ threadId, chain, output },
    rules: async () => unwrap(await bundleOf(engine, thread, chain)).descriptor.roles,
  });
  const { content, state } = await encodeStep(engine.cas, placeAfter(thread, chain), {
    ...{ output, nowMs, group, ...seen },
  });
  const others = waitsOf(thread).filter((each) => !(isPersonWait(each) && isSame(each, wait)));
  const waits = joinsWith(wait, chain) ? [] : others;
  try {
    await engine.cas.publish([content, state], {
      ...{ kind: "answer", threadId, from, to: state.hash, toSha256: state.sha256, nowMs, waits },
    });
    return ok(waits.length > 0 ? "rests" : "runner");
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

/** undefined: it is not a member. */
function placeOf({ member, group }: PersonWait): StepGroup | undefined {
  if (member === undefined || group === undefined) return undefined;
  const { name, entry, of } = group;
  return { name, entry, index: member, of };
}

/** Whether the group of this member has joined once the member has answered: nobody else is needed then. */
function joinsWith({ member, group }: PersonWait, chain: Chain): boolean {
  if (member === undefined || group === undefined) return true;
  const progress = new GroupProgress(group.of, { join: group.join });
  for (const { node } of roleStates(chain).slice(group.entry)) {
    const { group: place, outcome } = node.payload;
    if (place !== undefined)
      progress.note({ group: place, ...(outcome === undefined ? {} : { outcome }) });
  }
  progress.note({ group: { index: member } });
  return progress.hasJoined;
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

function unclear(threadId: string, people: readonly PersonWait[], member: number | null): Failure {
  const listed = people.map(({ role, member: index }) =>
    index === undefined ? role : `${index + 1} (${role})`,
  );
  const who = member === null ? "for several people" : `not for member ${member + 1}`;
  return failure(
    "ANSWER_INVALID",
    `thread ${threadId} waits ${who}; it waits for: ${listed.join(", ")}`,
    `say for whom: uncaged-workflow answer ${threadId} --member <number>`,
  );
}

function refusalOf(thread: ThreadRecord, nowMs: number): Failure {
  const { threadId } = thread;
  if (isFinished(thread))
    return finishedRefusal(thread, "a finished thread does not wait for an answer");
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
