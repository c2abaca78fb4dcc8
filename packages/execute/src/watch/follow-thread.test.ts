import type { LiveEvent, LiveItem } from "@uncaged/workflow-protocol";
import { memoryLiveLog, memoryThreadStore } from "@uncaged/workflow-store";
import { ownIdentity } from "@uncaged/workflow-util";
import { expect, it } from "vitest";
import { flushBeforeRelease } from "../storage/flush-before-release.ts";
import { type Follow, followThread } from "./follow-thread.ts";

const THREAD = "01M7Z9WNCVHA4DP8Y98XX3ZSRG";
const says = (text: string): LiveEvent => ({
  threadId: THREAD,
  timestamp: 1,
  type: "agent",
  role: "coder",
  round: 1,
  event: { type: "text", text },
});
const HASH = "EYHPV6X8XHTCS";

type World = Awaited<ReturnType<typeof owned>>;

/** A thread that this process runs, and the writing end of its live log. */
async function owned() {
  const threads = memoryThreadStore();
  const log = memoryLiveLog();
  // Nothing can be read before it is flushed, as in a log that writes in batches.
  const unwritten: LiveEvent[] = [];
  const live = {
    ...log,
    flush: async () => {
      for (const event of unwritten.splice(0)) writer.append(event);
    },
  };
  const store = flushBeforeRelease(threads, { root: "/", cas: { flush: async () => null }, live });
  await store.create(
    {
      threadId: THREAD,
      workflow: "steps",
      bundleHash: HASH,
      startHash: HASH,
      head: HASH,
      headSha256: "0".repeat(64),
      stepCount: 0,
      depth: 0,
      parentThread: null,
      cwd: "/",
      forkedFrom: null,
      startedAt: 1,
      createdAt: 1,
    },
    null,
  );
  const lease = await store.acquire({
    threadId: THREAD,
    process: ownIdentity(),
    ttlMs: 600_000,
    nowMs: Date.now(),
    replaces: null,
  });
  const writer = log.writer(lease);
  const say = (text: string): void => {
    unwritten.push(says(text));
  };
  return { engine: { live, store, now: Date.now }, store, lease, writer, say };
}

async function followed(
  { engine }: Pick<World, "engine">,
  opts: Partial<Follow> = {},
  onText: (text: string) => unknown = () => undefined,
): Promise<string[]> {
  const texts: string[] = [];
  const { signal } = new AbortController();
  const follow: Follow = { after: 0, until: "rest", signal, ...opts };
  for await (const item of followThread({ ...engine, root: "/" }, THREAD, follow)) {
    const text = textOf(item);
    texts.push(text);
    await onText(text);
  }
  return texts;
}

function textOf(item: LiveItem): string {
  if (item.type === "status") return item.status;
  return item.type === "agent" && item.event.type === "text" ? item.event.text : item.type;
}

it("ends when the thread stops, with everything said before, written or not", async () => {
  const { engine, store, lease, writer, say } = await owned();
  writer.append(says("one"));
  const texts = await followed({ engine }, {}, async (text) => {
    if (text !== "one") return;
    for (let at = 0; at < 100; at += 1) say(`last words ${at}`);
    await store.release({ ...lease, nowMs: 2, to: { status: "idle" } });
  });
  expect(texts).toHaveLength(101);
  expect(texts.at(-1)).toBe("last words 99");
});

it("continues after a number, and shows what exists of a thread that has stopped already", async () => {
  const { engine, store, lease, writer } = await owned();
  for (const text of ["one", "two", "three"]) writer.append(says(text));
  await store.release({ ...lease, nowMs: 2, to: { status: "idle" } });
  expect(await followed({ engine })).toEqual(["one", "two", "three"]);
  expect(await followed({ engine }, { after: 2 })).toEqual(["three"]);
});

it("stays with a thread that pauses when it is to be followed to its end", async () => {
  const { engine, store, lease, writer } = await owned();
  await store.signal(THREAD, "pause", 1);
  await store.release({ ...lease, nowMs: 2, to: { status: "paused" } });
  expect(await followed({ engine })).toEqual([]);
  const resumed = followed({ engine }, { until: "end" }, async (text) => {
    if (text !== "resumed") return;
    await store.clearSignal(THREAD, "pause");
    const nowMs = Date.now();
    const again = { threadId: THREAD, process: ownIdentity(), ttlMs: 600_000, replaces: null };
    const { fence } = await store.acquire({ ...again, nowMs });
    await store.release({ threadId: THREAD, fence, nowMs, to: { status: "idle" } });
  });
  writer.append(says("resumed"));
  expect(await resumed).toEqual(["resumed"]);
});

it("ends when its signal aborts, and when its reader leaves", async () => {
  const { engine, writer } = await owned();
  writer.append(says("one"));
  const abort = new AbortController();
  expect(await followed({ engine }, { signal: abort.signal }, () => abort.abort())).toEqual([
    "one",
  ]);
  const { signal } = new AbortController();
  for await (const item of followThread({ ...engine, root: "/" }, THREAD, {
    after: 0,
    until: "rest",
    signal,
  })) {
    expect(textOf(item)).toBe("one");
    break;
  }
});

it("reports that the thread cannot be observed", async () => {
  const { engine } = await owned();
  const get = (): Promise<null> => Promise.reject(new Error("the disk is gone"));
  const broken = { ...engine, store: { ...engine.store, get } };
  await expect(followed({ engine: broken })).rejects.toThrow("the disk is gone");
});
