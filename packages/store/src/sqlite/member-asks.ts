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
import { personWait } from "./person-waits.ts";
import { refused } from "./refused.ts";
import { textOf } from "./thread-columns.ts";
import type { ThreadIndex } from "./thread-index.ts";
import { getThread } from "./thread-queries.ts";

export function askMembers(
  index: ThreadIndex,
  request: Parameters<ThreadStore["askMembers"]>[0],
): void {
  const { threadId, waits } = request;
  index.transaction(`ask members of thread ${threadId}`, () => {
    const owned = toWrite(getThread(index, threadId), request);
    if (!owned.ok) throw refused(owned, threadId);
    const members = JSON.stringify(waits.map(({ member }) => member));
    index.sql(FORGET_OTHERS).run({ threadId, members });
    putMembers(index, request, waits);
    for (const wait of waits) recordAsk(index, { threadId, wait }, wait.since);
  });
}

/** Members for whom a thread was suspended stay asked while somebody owns it. Part of the caller's transaction. */
export function keepAsked(index: ThreadIndex, { threadId, fence }: LeaseRef, before: Wait[]): void {
  putMembers(
    index,
    { threadId, fence },
    before.filter(isPersonWait).filter(({ member }) => member !== undefined),
  );
}

/** Of a thread that is to be suspended. */
export function waitsBefore(index: ThreadIndex, threadId: string): Wait[] {
  const asks = index.sql(SUSPENDED_FOR_PEOPLE).get({ threadId }) !== undefined;
  const thread = asks ? getThread(index, threadId) : null;
  return thread === null ? [] : [...waitsOf(thread)];
}

/** False: one of those for whom the thread would wait has just answered. Otherwise they are asked by the thread itself from
 *  now on. Part of the caller's transaction. */
export function handOverMembers(
  index: ThreadIndex,
  threadId: string,
  waits: readonly Wait[],
): boolean {
  const answered = readMembers(index, { threadId, answered: true }).map(({ wait }) => wait);
  const isAnswered = ({ member, since }: PersonWait): boolean =>
    answered.some((each) => each.member === member && each.since === since);
  if (waits.filter(isPersonWait).some(isAnswered)) return false;
  forgetAsks(index, threadId);
  return true;
}

export function forgetAsks(index: ThreadIndex, threadId: string): void {
  index.sql("DELETE FROM asks WHERE threadId = :threadId").run({ threadId });
}

export function askedMembers(
  index: ThreadIndex,
  filter: Parameters<ThreadStore["askedMembers"]>[0],
): AskedMember[] {
  return index.read("read which members are asked", () => readMembers(index, filter));
}

export function closeAsks(
  index: ThreadIndex,
  { threadId, fence, members }: Parameters<ThreadStore["closeAsks"]>[0],
): void {
  const values = { threadId, fence, members: members === null ? null : JSON.stringify(members) };
  index.transaction(`close asks of thread ${threadId}`, () => index.sql(CLOSE).run(values));
}

function readMembers(
  index: ThreadIndex,
  { threadId, answered }: Parameters<ThreadStore["askedMembers"]>[0],
): AskedMember[] {
  return index
    .sql(answered ? `${MEMBERS} AND answer IS NOT NULL ${IN_ORDER}` : `${MEMBERS} ${IN_ORDER}`)
    .all({ threadId })
    .flatMap((row) => {
      const wait = personWait(parseJson(textOf(row, "wait")));
      const answer = answerOf(row);
      return wait === null || (answered && answer === null) ? [] : [{ wait, answer }];
    });
}

function putMembers(
  index: ThreadIndex,
  { threadId, fence }: LeaseRef,
  waits: readonly PersonWait[],
): void {
  for (const wait of waits) {
    const { member = -1, since } = wait;
    index.sql(PUT).run({ threadId, member, fence, since, wait: JSON.stringify(wait) });
  }
}

const BY_GROUP = "wait ->> '$.permission' IS NULL";

/** In place of an answer: none is taken any more. */
const CLOSED = "'null'";

// What was answered stands; what was closed is open again.
const PUT = `
  INSERT INTO asks VALUES (:threadId, :member, :fence, :since, :wait, NULL)
  ON CONFLICT DO UPDATE SET fence = :fence, since = :since, wait = :wait,
    answer = CASE WHEN since = :since AND ${BY_GROUP} THEN NULLIF(answer, ${CLOSED}) END`;

const FORGET_OTHERS = `
  DELETE FROM asks WHERE threadId = :threadId AND ${BY_GROUP}
    AND member NOT IN (SELECT value FROM json_each(:members))`;

const MEMBERS = `SELECT wait, answer FROM asks WHERE threadId = :threadId AND ${BY_GROUP}`;
const IN_ORDER = "ORDER BY member";

// An owner that was replaced closes nothing of its successor.
const CLOSE = `
  UPDATE asks SET answer = ${CLOSED}
  WHERE threadId = :threadId AND fence <= :fence AND answer IS NULL AND ${BY_GROUP}
    AND (:members IS NULL OR member IN (SELECT value FROM json_each(:members)))`;

const SUSPENDED_FOR_PEOPLE = `
  SELECT 1 FROM threads
  WHERE threadId = :threadId AND status = 'suspended' AND suspendedKind = 'person'`;
