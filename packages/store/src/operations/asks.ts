/** What people are asked while somebody runs a thread: by steps that are under way, and as members of a group. Only the
 *  owner of the thread asks. What its steps ask is void with its lease; members stay asked. */
import {
  type Ask,
  type AskAnswer,
  isFinal,
  type LeaseRef,
  type PersonWait,
  parseJson,
  THREAD_STATUSES,
  type ThreadStore,
  toJsonObject,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { quoted } from "../database/sql-text.ts";
import { askTaken, toWrite } from "../threads/refusals.ts";
import { recordAsk } from "./notices.ts";
import { all, change, changing, type Deed, one, reading } from "./operation.ts";
import { personWait } from "./person-waits.ts";
import { refused } from "./refused.ts";
import { integerOf, type NamedRow, textOf } from "./thread-columns.ts";
import { getThread } from "./thread-queries.ts";

export function openAsk(request: Parameters<ThreadStore["ask"]>[0]): Deed<void> {
  const { threadId, fence, wait } = request;
  return changing(`ask a person about thread ${threadId}`, function* () {
    const owned = toWrite(yield* getThread(threadId), request);
    if (!owned.ok) throw refused(owned, threadId);
    yield* change(`DELETE FROM asks WHERE threadId = :threadId AND fence < :fence AND ${BY_STEP}`, {
      threadId,
      fence,
    });
    const values = { ...placeOf(request.threadId, wait), fence, since: wait.since };
    yield* change(OPEN, { ...values, wait: JSON.stringify(wait) });
    yield* recordAsk({ threadId, wait }, wait.since);
  });
}

export function openAsks({ threadId }: Parameters<ThreadStore["asks"]>[0]): Deed<Ask[]> {
  return reading("read what is asked", function* () {
    return (yield* all(OPEN_ASKS, { threadId: threadId ?? null })).flatMap((row) => {
      const wait = waitOf(row);
      const of = { threadId: textOf(row, "threadId"), fence: integerOf(row, "fence") };
      return wait === null ? [] : [{ ...of, wait }];
    });
  });
}

export function answerAsk(request: Parameters<ThreadStore["answerAsk"]>[0]): Deed<void> {
  const { threadId, fence, wait, answer } = request;
  return changing(`answer an ask of thread ${threadId}`, function* () {
    const values = { ...placeOf(threadId, wait), fence, since: wait.since };
    const changes = yield* change(ANSWER, { ...values, answer: JSON.stringify(answer) });
    if (changes !== 1) throw new WorkflowError(askTaken(threadId));
  });
}

/** Statuses of threads whose members of groups may be asked. */
const ASKING = THREAD_STATUSES.filter((status) => status !== "suspended" && !isFinal(status));

type Place = LeaseRef & Pick<PersonWait, "member">;

export function askAnswer({ threadId, fence, ...of }: Place): Deed<AskAnswer | null> {
  return reading(`read an answer to thread ${threadId}`, function* () {
    return answerOf(yield* one(ANSWERED, { ...placeOf(threadId, of), fence }));
  });
}

export function withdrawAsk({ threadId, fence, ...of }: Place): Deed<AskAnswer | null> {
  return changing(`withdraw an ask of thread ${threadId}`, function* () {
    return answerOf(yield* one(WITHDRAW, { ...placeOf(threadId, of), fence }));
  });
}

const OPEN = `
  INSERT INTO asks VALUES (:threadId, :member, :fence, :since, :wait, NULL)
  ON CONFLICT (threadId, member) DO UPDATE SET fence = :fence, since = :since, wait = :wait, answer = NULL`;

const OF_OWNER = `
  EXISTS (SELECT 1 FROM threads WHERE threads.threadId = asks.threadId
    AND threads.fence = asks.fence AND threads.status = 'running')`;

const BY_STEP = "asks.wait ->> 'permission' IS NOT NULL";

/** A thread that is suspended has what it waits for in its own row. */
const OF_GROUP = `
  EXISTS (SELECT 1 FROM threads WHERE threads.threadId = asks.threadId
    AND threads.status IN (${quoted(ASKING)}))`;

const OPEN_NOW = `answer IS NULL AND CASE WHEN ${BY_STEP} THEN ${OF_OWNER} ELSE ${OF_GROUP} END`;

const OPEN_ASKS = `
  SELECT threadId, fence, wait FROM asks
  WHERE (:threadId IS NULL OR threadId = :threadId) AND ${OPEN_NOW}
  ORDER BY since, threadId, member`;

const ASKED = "threadId = :threadId AND member = :member AND fence = :fence";

const ANSWER = `
  UPDATE asks SET answer = :answer
  WHERE threadId = :threadId AND member = :member AND since = :since
    AND (fence = :fence OR NOT ${BY_STEP}) AND ${OPEN_NOW}`;

const ANSWERED = `SELECT answer FROM asks WHERE ${ASKED}`;

const WITHDRAW = `DELETE FROM asks WHERE ${ASKED} RETURNING answer`;

function placeOf(
  threadId: string,
  { member = -1 }: Pick<PersonWait, "member">,
): { threadId: string; member: number } {
  return { threadId, member };
}

function waitOf(row: NamedRow): PersonWait | null {
  return personWait(parseJson(textOf(row, "wait")));
}

/** null: there is none. */
export function answerOf(row: NamedRow | undefined): AskAnswer | null {
  if (row?.answer == null) return null;
  const stored = toJsonObject(parseJson(textOf(row, "answer")));
  const meta = toJsonObject(stored?.meta);
  if (meta === null || typeof stored?.user !== "string") return null;
  const at = typeof stored.at === "number" ? stored.at : 0;
  return { meta, user: stored.user, at };
}
