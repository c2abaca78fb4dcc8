/** What steps that are under way ask people. Only the owner of a thread asks, and only while it owns the thread. */
import {
  type Ask,
  type AskAnswer,
  type LeaseRef,
  type PersonWait,
  parseJson,
  type ThreadStore,
  toJsonObject,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { askTaken, toWrite } from "../threads/refusals.ts";
import { recordAsk } from "./notices.ts";
import { personWait } from "./person-waits.ts";
import { refused } from "./refused.ts";
import { integerOf, type NamedRow, textOf } from "./thread-columns.ts";
import type { ThreadIndex } from "./thread-index.ts";
import { getThread } from "./thread-queries.ts";

export function openAsk(index: ThreadIndex, request: Parameters<ThreadStore["ask"]>[0]): void {
  const { threadId, fence, wait } = request;
  index.transaction(`ask a person about thread ${threadId}`, () => {
    const owned = toWrite(getThread(index, threadId), request);
    if (!owned.ok) throw refused(owned, threadId);
    index
      .sql("DELETE FROM asks WHERE threadId = :threadId AND fence < :fence")
      .run({ threadId, fence });
    const values = { ...placeOf(request.threadId, wait), fence, since: wait.since };
    index.sql(OPEN).run({ ...values, wait: JSON.stringify(wait) });
    recordAsk(index, { threadId, wait }, wait.since);
  });
}

export function openAsks(
  index: ThreadIndex,
  { threadId }: Parameters<ThreadStore["asks"]>[0],
): Ask[] {
  return index.read("read what is asked", () =>
    index
      .sql(OPEN_ASKS)
      .all({ threadId: threadId ?? null })
      .flatMap((row) => {
        const wait = waitOf(row);
        const of = { threadId: textOf(row, "threadId"), fence: integerOf(row, "fence") };
        return wait === null ? [] : [{ ...of, wait }];
      }),
  );
}

export function answerAsk(
  index: ThreadIndex,
  request: Parameters<ThreadStore["answerAsk"]>[0],
): void {
  const { threadId, fence, wait, answer } = request;
  index.transaction(`answer an ask of thread ${threadId}`, () => {
    const values = { ...placeOf(threadId, wait), fence, since: wait.since };
    const { changes } = index.sql(ANSWER).run({ ...values, answer: JSON.stringify(answer) });
    if (changes !== 1) throw new WorkflowError(askTaken(threadId));
  });
}

type Place = LeaseRef & Pick<PersonWait, "member">;

export function askAnswer(index: ThreadIndex, { threadId, fence, ...of }: Place): AskAnswer | null {
  return index.read(`read an answer to thread ${threadId}`, () =>
    answerOf(index.sql(ANSWERED).get({ ...placeOf(threadId, of), fence })),
  );
}

export function withdrawAsk(
  index: ThreadIndex,
  { threadId, fence, ...of }: Place,
): AskAnswer | null {
  return index.transaction(`withdraw an ask of thread ${threadId}`, () =>
    answerOf(index.sql(WITHDRAW).get({ ...placeOf(threadId, of), fence })),
  );
}

const OPEN = `
  INSERT INTO asks VALUES (:threadId, :member, :fence, :since, :wait, NULL)
  ON CONFLICT DO UPDATE SET fence = :fence, since = :since, wait = :wait, answer = NULL`;

const OF_OWNER = `
  EXISTS (SELECT 1 FROM threads WHERE threads.threadId = asks.threadId
    AND threads.fence = asks.fence AND threads.status = 'running')`;

const OPEN_ASKS = `
  SELECT threadId, fence, wait FROM asks
  WHERE answer IS NULL AND (:threadId IS NULL OR threadId = :threadId) AND ${OF_OWNER}
  ORDER BY since, threadId, member`;

const ASKED = "threadId = :threadId AND member = :member AND fence = :fence";

const ANSWER = `
  UPDATE asks SET answer = :answer
  WHERE ${ASKED} AND since = :since AND answer IS NULL AND ${OF_OWNER}`;

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
function answerOf(row: NamedRow | undefined): AskAnswer | null {
  if (row?.answer == null) return null;
  const stored = toJsonObject(parseJson(textOf(row, "answer")));
  const meta = toJsonObject(stored?.meta);
  return meta === null || typeof stored?.user !== "string" ? null : { meta, user: stored.user };
}
