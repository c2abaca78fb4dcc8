/** Adds results to the threads of a list. A list may be long, so end nodes are read only for versions that have a
 *  `result`. */
import { readFile } from "node:fs/promises";
import type { ThreadSummary } from "@uncaged/workflow-protocol";
import { bundleFiles, parseStoredDescriptor } from "@uncaged/workflow-register";
import type { NodeReader } from "../chain/read-node.ts";
import { recordedResultOf } from "./thread-result.ts";

/** The same threads, with `result` added to those that have a value. */
export async function withResults<T extends ThreadSummary>(
  { root, cas }: { root: string; cas: NodeReader },
  threads: readonly T[],
): Promise<T[]> {
  const versions = new Map<string, boolean>();
  for (const { bundleHash, status } of threads) {
    if (status !== "completed" || versions.has(bundleHash)) continue;
    versions.set(bundleHash, await hasResult(root, bundleHash));
  }
  const all: T[] = [];
  for (const thread of threads) {
    const isAsked = thread.status === "completed" && versions.get(thread.bundleHash) === true;
    const recorded = isAsked ? await recordedResultOf(cas, thread) : null;
    all.push(recorded?.value === undefined ? thread : { ...thread, result: recorded.value });
  }
  return all;
}

/** A missing or damaged version must not keep its threads from being listed. */
async function hasResult(root: string, bundleHash: string): Promise<boolean> {
  const text = await readFile(bundleFiles(root, bundleHash).descriptor, "utf8").catch(() => "");
  return parseStoredDescriptor(text)?.result !== undefined;
}
