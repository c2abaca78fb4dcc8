/** People who are asked as members of a group, beside its agents. What they are asked outlives the owner that asked. */
import {
  type AskedMember,
  isPersonWait,
  type LeaseRef,
  type PersonWait,
  parseJson,
  type ThreadStore,
  type Wait,
  waitsOf,
} from "@uncaged/workflow-protocol";
import { toWrite } from "../threads/refusals.ts";
import { answerOf } from "./asks.ts";
import { recordAsk } from "./notices.ts";
import { all, change, changing, type Deed, type Operation, one, reading } from "./operation.ts";
import { personWait } from "./person-waits.ts";
import { refused } from "./refused.ts";
import { textOf } from "./thread-columns.ts";
import { getThread } from "./thread-queries.ts";

export function askMembers(request: Parameters<ThreadStore["askMembers"]>[0]): Deed<void> {
  const { threadId, waits } = request;
  return changing(`ask members of thread ${threadId}`, function* () {
    const owned = toWrite(yield* getThread(threadId), request);
    if (!owned.ok) throw refused(owned, threadId);
    const members = JSON.stringify(waits.map(({ member }) => member));
    yield* change(FORGET_OTHERS, { threadId, members });
    yield* putMembers(request, waits);
    for (const wait of waits) yield* recordAsk({ threadId, wait }, wait.since);
  });
}

/** Members for whom a thread was suspended stay asked while somebody owns it. Part of the caller's transaction. */
export function* keepAsked({ threadId, fence }: LeaseRef, before: Wait[]): Operation<void> {
  yield* putMembers(
    { threadId, fence },
    before.filter(isPersonWait).filter(({ member }) => member !== undefined),
  );
}

/** Of a thread that is to be suspended. */
export function* waitsBefore(threadId: string): Operation<Wait[]> {
  const asks = (yield* one(SUSPENDED_FOR_PEOPLE, { threadId })) !== undefined;
  const thread = asks ? yield* getThread(threadId) : null;
  return thread === null ? [] : [...waitsOf(thread)];
}

/** False: one of those for whom the thread would wait has just answered. Otherwise they are asked by the thread itself from
 *  now on. Part of the caller's transaction. */
export function* handOverMembers(threadId: string, waits: readonly Wait[]): Operation<boolean> {
  const answered = (yield* readMembers({ threadId, answered: true })).map(({ wait }) => wait);
  const isAnswered = ({ member, since }: PersonWait): boolean =>
    answered.some((each) => each.member === member && each.since === since);
  if (waits.filter(isPersonWait).some(isAnswered)) return false;
  yield* forgetAsks(threadId);
  return true;
}

export function* forgetAsks(threadId: string): Operation<void> {
  yield* change("DELETE FROM asks WHERE threadId = :threadId", { threadId });
}

export function askedMembers(
  filter: Parameters<ThreadStore["askedMembers"]>[0],
): Deed<AskedMember[]> {
  return reading("read which members are asked", function* () {
    return yield* readMembers(filter);
  });
}

export function closeAsks({
  threadId,
  fence,
  members,
}: Parameters<ThreadStore["closeAsks"]>[0]): Deed<void> {
  const values = { threadId, fence, members: members === null ? null : JSON.stringify(members) };
  return changing(`close asks of thread ${threadId}`, function* () {
    yield* change(CLOSE, values);
  });
}

function* readMembers({
  threadId,
  answered,
}: Parameters<ThreadStore["askedMembers"]>[0]): Operation<AskedMember[]> {
  return (yield* all(
    answered ? `${MEMBERS} AND answer IS NOT NULL ${IN_ORDER}` : `${MEMBERS} ${IN_ORDER}`,
    { threadId },
  )).flatMap((row) => {
    const wait = personWait(parseJson(textOf(row, "wait")));
    const answer = answerOf(row);
    return wait === null || (answered && answer === null) ? [] : [{ wait, answer }];
  });
}

function* putMembers({ threadId, fence }: LeaseRef, waits: readonly PersonWait[]): Operation<void> {
  for (const wait of waits) {
    const { member = -1, since } = wait;
    yield* change(PUT, { threadId, member, fence, since, wait: JSON.stringify(wait) });
  }
}

const BY_GROUP = "asks.wait ->> 'permission' IS NULL";

/** In place of an answer: none is taken any more. */
const CLOSED = "'null'";

// What was answered stands; what was closed is open again.
const PUT = `
  INSERT INTO asks VALUES (:threadId, :member, :fence, :since, :wait, NULL)
  ON CONFLICT (threadId, member) DO UPDATE SET fence = :fence, since = :since, wait = :wait,
    answer = CASE WHEN asks.since = :since AND ${BY_GROUP} THEN NULLIF(asks.answer, ${CLOSED}) END`;

const FORGET_OTHERS = `
  DELETE FROM asks WHERE threadId = :threadId AND ${BY_GROUP}
    AND member NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(:members))`;

const MEMBERS = `SELECT wait, answer FROM asks WHERE threadId = :threadId AND ${BY_GROUP}`;
const IN_ORDER = "ORDER BY member";

// An owner that was replaced closes nothing of its successor.
const CLOSE = `
  UPDATE asks SET answer = ${CLOSED}
  WHERE threadId = :threadId AND fence <= :fence AND answer IS NULL AND ${BY_GROUP}
    AND (:members IS NULL OR member IN (SELECT CAST(value AS BIGINT) FROM json_each(:members)))`;

const SUSPENDED_FOR_PEOPLE = `
  SELECT 1 FROM threads
  WHERE threadId = :threadId AND status = 'suspended' AND suspendedKind = 'person'`;
