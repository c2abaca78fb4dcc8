import { type Engine, findThread } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result, type ThreadRecord } from "@uncaged/workflow-protocol";

/** The result for a word that names a thread. */
export type Named = { word: string; found: Result<ThreadRecord, Failure> };

/** Threads by their ids or parts of them, each once, in the order in which they were named. */
export async function findThreads(
  engine: Pick<Engine, "store" | "now">,
  words: readonly string[],
): Promise<Named[]> {
  const named: Named[] = [];
  const known = new Set<string>();
  for (const word of words) {
    const found = await findThread(engine, word);
    const name = found.ok ? found.value.threadId : word;
    if (!known.has(name)) named.push({ word, found });
    known.add(name);
  }
  return named;
}

/** All of them; the first failure where there is one. */
export async function findEach(
  engine: Pick<Engine, "store" | "now">,
  words: readonly string[],
): Promise<Result<ThreadRecord[], Failure>> {
  const threads: ThreadRecord[] = [];
  for (const { found } of await findThreads(engine, words)) {
    if (!found.ok) return found;
    threads.push(found.value);
  }
  return ok(threads);
}
