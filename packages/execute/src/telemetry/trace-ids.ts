/** Where a thread is in its trace. The ids follow from those of the threads, so the next owner of a
 *  thread, and the owner of a child thread, continue the same trace without any message.
 *
 *  1. A trace has the thread that a person started, and all threads below it.
 *  2. A thread and a completed step have one span each, however many attempts they took. */
import { createHash } from "node:crypto";
import type { StepGroup, ThreadRecord, ThreadStore } from "@uncaged/workflow-protocol";

export type SpanPlace = { traceId: string; spanId: string };

/** The trace of a thread: that of its topmost ancestor that still exists. */
export async function traceIdOf(
  store: Pick<ThreadStore, "get">,
  thread: Pick<ThreadRecord, "threadId" | "parentThread" | "depth">,
): Promise<string> {
  let top = thread;
  while (top.parentThread !== null) {
    const parent = await store.get(top.parentThread);
    // Depth falls with every parent, so a damaged index cannot lead in circles.
    if (parent === null || parent.depth >= top.depth)
      return digest(["trace", top.parentThread], 32);
    top = parent;
  }
  return digest(["trace", top.threadId], 32);
}

export function threadSpanId(threadId: string): string {
  return digest(["thread", threadId], 16);
}

export type StepPlace = { round: number; group?: StepGroup | undefined };

/** A member of a group has its place there; its round depends on the others. */
export function stepKey({ round, group }: StepPlace): string {
  return group === undefined ? `${round}` : `${group.name}.${group.entry}.${group.index}`;
}

export function stepSpanId(threadId: string, place: StepPlace): string {
  return digest(["step", threadId, stepKey(place)], 16);
}

/** A span inside a step: of one attempt, which the fence numbers. */
export function innerSpanId(stepSpan: string, ...parts: readonly (string | number)[]): string {
  return digest([stepSpan, ...parts], 16);
}

/** As in https://www.w3.org/TR/trace-context/; the trace is sampled. */
export function traceparent({ traceId, spanId }: SpanPlace): string {
  return `00-${traceId}-${spanId}-01`;
}

function digest(parts: readonly (string | number)[], chars: number): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, chars);
}
