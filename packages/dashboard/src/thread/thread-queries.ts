import { call, type ThreadHead, type ThreadIndex } from "@uncaged/workflow-gateway/contract";
import { type ReplyQuery, replyQuery } from "../api/queries.ts";

export const headKey = (client: string, id: string): readonly string[] => ["thread", client, id];

/** A thread as it is now, but for its steps. */
export const headQuery = (client: string, id: string): ReplyQuery<ThreadHead> =>
  replyQuery(headKey(client, id), (to, signal) =>
    call(to, "showThread", { client, path: { id }, signal }),
  );

/** The columns of all its steps. They are asked for again when the head is another one. */
export const indexQuery = (client: string, id: string): ReplyQuery<ThreadIndex> =>
  replyQuery(
    ["index", client, id],
    (to, signal) => call(to, "threadIndex", { client, path: { id }, signal }),
    Number.POSITIVE_INFINITY,
  );
