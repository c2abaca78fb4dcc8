/** Follows a client's live events for as long as the caller wants, over broken connections. */
import { createParser } from "eventsource-parser";
import { type CallFailure, type Connection, failureIn, pathOf } from "./call.ts";
import type { ServerEvent } from "./shapes.ts";

export type FollowOptions = {
  client: string;
  /** `threads`, `inbox`, `thread:<id>`. */
  topics: readonly string[];
  signal: AbortSignal;
  /** Called when the stream is open, has broken, or was refused; it is tried again, but for a refusal that would last. */
  onState?: (state: FollowState) => void;
};

export type FollowState =
  | { state: "open" }
  | { state: "waiting"; failure: CallFailure; retryInMs: number }
  | { state: "refused"; failure: CallFailure };

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** The engine says something at least every ten seconds. */
const SILENT_MS = 25_000;
/** Trying again changes nothing: no right, no such client, a wrong topic. */
const LASTING = [400, 401, 403, 404];

/** Yields events until the signal aborts, or the gateway refuses for good. A stream that broke before it said where it
 *  stood begins anew with a `reset` of each topic. */
export async function* followEvents(
  connection: Connection,
  { client, topics, signal, onState = () => undefined }: FollowOptions,
): AsyncGenerator<ServerEvent, void> {
  const path = pathOf("events", { client, query: { topics: topics.join(",") } });
  const position: Position = { lastId: null };
  let tries = 0;
  let isPlaceLost = false;
  while (!signal.aborted) {
    const opened = await open(connection, path, position, signal);
    if ("failure" in opened) {
      const { failure } = opened;
      if (signal.aborted) return;
      if (LASTING.includes(failure.status)) return onState({ state: "refused", failure });
      tries += 1;
      const retryInMs = Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries);
      onState({ state: "waiting", failure, retryInMs });
      await pause(retryInMs, signal);
      continue;
    }
    tries = 0;
    onState({ state: "open" });
    if (isPlaceLost) for (const topic of topics) yield { type: "reset", topic };
    yield* events(opened.body, position, signal);
    isPlaceLost = position.lastId === null;
  }
}

/** How far the stream was read. */
type Position = { lastId: string | null };

async function open(
  { origin, headers }: Connection,
  path: string,
  { lastId }: Position,
  signal: AbortSignal,
): Promise<{ body: ReadableStream<Uint8Array> } | { failure: CallFailure }> {
  try {
    const response = await fetch(`${origin}${path}`, {
      headers: {
        ...headers,
        accept: "text/event-stream",
        ...(lastId === null ? {} : { "last-event-id": lastId }),
      },
      signal,
      credentials: "same-origin",
      redirect: "error",
    });
    if (response.ok && response.body !== null) return { body: response.body };
    return { failure: await failureIn(response) };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { failure: { status: 0, code: "GATEWAY_UNREACHABLE", message, hint: "" } };
  }
}

async function* events(
  body: ReadableStream<Uint8Array>,
  position: Position,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent, void> {
  const found: { id: string | null; data: string }[] = [];
  const parser = createParser({ onEvent: ({ id, data }) => found.push({ id: id ?? null, data }) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    while (true) {
      const chunk = await readSoon(reader, signal);
      if (chunk === null) return;
      parser.feed(decoder.decode(chunk, { stream: true }));
      for (const { id, data } of found.splice(0)) {
        const event: ServerEvent = JSON.parse(data);
        if (id !== null) position.lastId = id;
        yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** null: the stream has ended, broke, or was silent for so long that it is taken for dead. */
async function readSoon(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), SILENT_MS);
  });
  try {
    const read = await Promise.race([reader.read().catch(() => null), silence]);
    return read === null || read.done || signal.aborted ? null : read.value;
  } finally {
    clearTimeout(timer);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
