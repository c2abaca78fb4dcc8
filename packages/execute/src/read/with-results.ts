/** What threads of a list return. A list may be long, so only ends are read that can say something: those of versions
 *  that have a `result`. */
import { readFile } from "node:fs/promises";
import type { ThreadSummary } from "@uncaged/workflow-protocol";
import { bundleFiles, parseStoredDescriptor } from "@uncaged/workflow-register";
import type { NodeReader } from "../chain/read-node.ts";
import { recordedResultOf } from "./thread-result.ts";

/** The same threads; those that have a value have it as `result`. */
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

/** A version that is gone, or damaged, is no reason not to list its threads. */
async function hasResult(root: string, bundleHash: string): Promise<boolean> {
  const text = await readFile(bundleFiles(root, bundleHash).descriptor, "utf8").catch(() => "");
  return parseStoredDescriptor(text)?.result !== undefined;
}
