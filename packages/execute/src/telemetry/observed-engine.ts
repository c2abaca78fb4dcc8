import type { LiveEvent, LiveWriter, RootStore, ThreadStore } from "@uncaged/workflow-protocol";
import { readNode } from "../chain/read-node.ts";
import type { Engine } from "../storage/engine.ts";
import type { TelemetrySink } from "./telemetry-sink.ts";
import { type SpanSources, threadSpans } from "./thread-spans.ts";
import { stepSpanId, traceIdOf, traceparent } from "./trace-ids.ts";

/** The same engine with its live events and store observed. Reports follow later, in order, thread by thread, and a
 *  failure there has no effect here. `settled`: everything so far has been reported. */
export function observedEngine(
  engine: Engine,
  sink: TelemetrySink,
  contents: Pick<SpanSources, "words" | "input">,
): { engine: Engine; settled: () => Promise<void> } {
  const underWay = new Set<Promise<void>>();
  const watched = (writer: LiveWriter, threadId: string, fence: number): LiveWriter => {
    const told = spansOf(engine, { threadId, fence }, { sink, ...contents });
    let last: Promise<void> = Promise.resolve();
    const tell = (event: LiveEvent): void => {
      const next = last.then(async () => (await told)?.(event)).catch(() => undefined);
      last = next;
      underWay.add(next);
      void next.finally(() => underWay.delete(next));
    };
    return {
      append(event) {
        writer.append(event);
        if (isTold(event)) tell(event);
      },
      close: () => writer.close(),
    };
  };
  return {
    engine: {
      ...engine,
      live: {
        ...engine.live,
        writer: (lease) => watched(engine.live.writer(lease), lease.threadId, lease.fence),
      },
      cas: timedBlobs(engine.cas, sink),
      store: timedThreads(engine.store, sink),
      traceparents: async (thread) => {
        const traceId = await traceIdOf(engine.store, thread);
        return (place) => traceparent({ traceId, spanId: stepSpanId(thread.threadId, place) });
      },
    },
    settled: async () => {
      await Promise.all(underWay);
    },
  };
}

/** Most events are text, and text is not reported. */
function isTold(event: LiveEvent): boolean {
  if (event.type === "asked") return false;
  return event.type !== "note" && (event.type !== "agent" || event.event.type !== "text");
}

async function spansOf(
  { cas, store }: Pick<Engine, "cas" | "store">,
  { threadId, fence }: { threadId: string; fence: number },
  sources: Pick<SpanSources, "sink" | "words" | "input">,
): Promise<((event: LiveEvent) => Promise<void>) | null> {
  const thread = await store.get(threadId).catch(() => null);
  if (thread === null) return null;
  const traceId = await traceIdOf(store, thread);
  return threadSpans(
    { thread, traceId, fence },
    {
      ...sources,
      state: async (hash) => (await readNode(cas, hash, "state")).payload,
      current: () => store.get(threadId),
    },
  );
}

function timedBlobs(cas: RootStore, sink: TelemetrySink): RootStore {
  return { ...cas, publish: timed(sink, "publish", cas.publish) };
}

function timedThreads(store: ThreadStore, sink: TelemetrySink): ThreadStore {
  return {
    ...store,
    acquire: timed(sink, "acquire", store.acquire),
    finish: timed(sink, "finish", store.finish),
    release: timed(sink, "release", store.release),
  };
}

function timed<A extends unknown[], R>(
  sink: TelemetrySink,
  operation: string,
  call: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    const startMs = performance.now();
    try {
      return await call(...args);
    } finally {
      const seconds = (performance.now() - startMs) / 1_000;
      sink.measure("uncaged.store.duration", seconds, { "uncaged.operation": operation });
    }
  };
}
