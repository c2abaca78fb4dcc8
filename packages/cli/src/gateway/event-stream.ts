/** Live events of several topics in one stream of server-sent events.
 *
 *  1. Nothing is read ahead of the reader: what waits is in the logs.
 *  2. The id of an event says how far each topic was read. With it a stream goes on where it ended; what cannot be
 *     had any more is said as `reset`. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Engine } from "@uncaged/workflow-execute";
import type { ServerEvent } from "@uncaged/workflow-gateway/contract";
import {
  err,
  type Failure,
  failure,
  isThreadId,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import type { FeedItem, FeedPlace, ThreadFeed } from "./thread-feed.ts";

const MOST_TOPICS = 20;
const BEAT_MS = 10_000;
/** Of a thread that is looked at first. */
const RECENT = 500;
const CHUNK_CHARS = 65_536;

export type Topics = { threads: boolean; inbox: boolean; threadIds: readonly string[] };

/** `USAGE`, `THREAD_NOT_FOUND`. */
export async function topicsIn(
  text: string,
  engine: Pick<Engine, "store">,
): Promise<Result<Topics, Failure>> {
  const names = [...new Set(text.split(","))];
  const threadIds = names.flatMap((name) => (name.startsWith("thread:") ? [name.slice(7)] : []));
  const others = names.filter((name) => !name.startsWith("thread:"));
  const strange = [
    ...others.filter((name) => name !== "threads" && name !== "inbox"),
    ...threadIds.filter((id) => !isThreadId(id)),
  ][0];
  if (strange !== undefined || names.length > MOST_TOPICS)
    return err(
      failure(
        "USAGE",
        strange === undefined
          ? `these are ${names.length} topics`
          : `there is no topic ${JSON.stringify(strange.slice(0, 100))}`,
        `give up to ${MOST_TOPICS} of: threads, inbox, thread:<whole id>`,
      ),
    );
  for (const threadId of threadIds) {
    if ((await engine.store.get(threadId)) === null)
      return err(
        failure("THREAD_NOT_FOUND", `there is no thread ${threadId}`, "it may have been removed"),
      );
  }
  return ok({ threads: others.includes("threads"), inbox: others.includes("inbox"), threadIds });
}

type World = { engine: Engine; feed: ThreadFeed };

export function eventStream(topics: Topics, lastId: string | null, world: World): ReadableStream {
  const end = new AbortController();
  const texts = inChunks(beating(events(topics, lastId, world, end.signal)));
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await texts.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        end.abort();
        await texts.return();
      },
    },
    { highWaterMark: 1 },
  );
}

/** How far each topic was read. */
type Position = { feed: FeedPlace; threads: Map<string, number> };

async function* events(
  topics: Topics,
  lastId: string | null,
  world: World,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const known = positionIn(lastId);
  const now = await world.feed.place();
  const position: Position = { feed: known?.feed ?? now, threads: new Map() };
  const text = (event: ServerEvent): string => eventText(event, position);
  for (const threadId of topics.threadIds) {
    const last = await world.engine.live.last(threadId);
    const seen = known?.threads.get(threadId);
    // A log that has not come so far is another one.
    if (seen !== undefined && seen > last)
      yield text({ type: "reset", topic: `thread:${threadId}` });
    const from = seen === undefined || seen > last ? Math.max(0, last - RECENT) : seen;
    position.threads.set(threadId, from);
  }
  const isUnknown = lastId !== null && known === null;
  if (isUnknown || world.feed.since(position.feed) === null) {
    position.feed = now;
    for (const event of resets(topics)) yield text(event);
  }
  yield text({ type: "ready" });
  const sources = [
    told(topics, position, world, signal),
    ...topics.threadIds.map((threadId) => lived(threadId, position, world, signal)),
  ];
  for await (const { event, feed, seq } of merged(sources)) {
    // Only now: a source may be further than what was sent of it.
    if (feed !== undefined) position.feed = feed;
    if (seq !== undefined) position.threads.set(seq.threadId, seq.seq);
    yield text(event);
  }
}

/** An event, and how far its source was read with it. */
type Placed = {
  event: ServerEvent;
  feed?: FeedPlace;
  seq?: { threadId: string; seq: number };
};

/** What the feed has told of these topics. */
async function* told(
  topics: Topics,
  { feed: from }: Position,
  { feed }: World,
  signal: AbortSignal,
): AsyncGenerator<Placed, void> {
  let place = from;
  while (!signal.aborted) {
    const items = feed.since(place);
    if (items === null) {
      place = await feed.place();
      for (const event of resets(topics)) yield { event, feed: place };
      continue;
    }
    for (const item of items) {
      place = { ...place, n: item.n };
      const all = eventsOf(item, topics);
      // What is sent twice for one change counts with the last of them.
      for (const [at, event] of all.entries())
        yield at === all.length - 1 ? { event, feed: place } : { event };
    }
    await feed.more(place.n, signal);
  }
}

function eventsOf(item: FeedItem, topics: Topics): ServerEvent[] {
  if (item.kind === "inbox")
    return topics.inbox ? [{ type: "inbox", topic: "inbox", waiting: item.waiting }] : [];
  const threadId = item.kind === "thread" ? item.thread.threadId : item.threadId;
  const own = topics.threadIds.includes(threadId) ? [`thread:${threadId}`] : [];
  return [...(topics.threads ? ["threads"] : []), ...own].map((topic) =>
    item.kind === "thread"
      ? { type: "thread", topic, thread: item.thread }
      : { type: "removed", topic, threadId },
  );
}

function resets(topics: Topics): ServerEvent[] {
  const names = (["threads", "inbox"] as const).filter((name) => topics[name]);
  return [...names, ...topics.threadIds.map((id) => `thread:${id}`)].map((topic) => ({
    type: "reset",
    topic,
  }));
}

/** What happens in a thread. */
async function* lived(
  threadId: string,
  { threads }: Position,
  { engine }: World,
  signal: AbortSignal,
): AsyncGenerator<Placed, void> {
  const topic = `thread:${threadId}`;
  const after = threads.get(threadId) ?? 0;
  for await (const item of engine.live.read(threadId, { after, until: "aborted", signal })) {
    const seq = { threadId, seq: item.type === "gap" ? item.to : item.seq };
    if (item.type === "gap") yield { event: { type: "reset", topic }, seq };
    else yield { event: { type: "live", topic, item }, seq };
  }
}

/** In the order in which they come. Each source is asked for its next only when its last was taken. */
async function* merged<T>(sources: readonly AsyncGenerator<T, void>[]): AsyncGenerator<T, void> {
  const next = (source: AsyncGenerator<T, void>) =>
    source.next().then((result) => ({ source, result }));
  const pending = new Map(sources.map((source) => [source, next(source)]));
  try {
    while (pending.size > 0) {
      const { source, result } = await Promise.race(pending.values());
      if (result.done) {
        pending.delete(source);
        continue;
      }
      yield result.value;
      pending.set(source, next(source));
    }
  } finally {
    // Not awaited: one that waits for its next answers once the signal has aborted.
    for (const source of sources) void source.return();
  }
}

/** Something is sent at least every ten seconds, so that a reader knows a dead connection. */
async function* beating(source: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  let pending = source.next();
  try {
    while (true) {
      const { promise, resolve } = Promise.withResolvers<"beat">();
      const timer = setTimeout(resolve, BEAT_MS, "beat");
      const first = await Promise.race([pending, promise]);
      clearTimeout(timer);
      if (first === "beat") {
        yield ": beat\n\n";
        continue;
      }
      if (first.done) return;
      yield first.value;
      pending = source.next();
    }
  } finally {
    void source.return();
  }
}

/** What is there at once goes out at once. */
async function* inChunks(source: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  let pending = source.next();
  try {
    while (true) {
      const first = await pending;
      if (first.done) return;
      let text = first.value;
      pending = source.next();
      while (text.length < CHUNK_CHARS) {
        const more = await Promise.race([pending, nextTurn(null)]);
        if (more === null || more.done) break;
        text += more.value;
        pending = source.next();
      }
      yield text;
    }
  } finally {
    void source.return();
  }
}

function eventText(event: ServerEvent, { feed, threads }: Position): string {
  const read = [...threads].map(([threadId, seq]) => `,${threadId}:${seq}`);
  return `id: ${feed.boot}:${feed.n}${read.join("")}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** null: it is none of ours. */
function positionIn(id: string | null): Position | null {
  const [feed = "", ...read] = (id ?? "").split(",");
  const [, boot, n] = /^([0-9a-f-]{36}):(\d{1,15})$/.exec(feed) ?? [];
  if (boot === undefined || n === undefined) return null;
  const threads = read.flatMap((each): [string, number][] => {
    const [, threadId, seq] = /^(\w{26}):(\d{1,15})$/.exec(each) ?? [];
    return threadId === undefined ? [] : [[threadId, Number(seq)]];
  });
  return { feed: { boot, n: Number(n) }, threads: new Map(threads) };
}
