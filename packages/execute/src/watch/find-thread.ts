import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";
import { lookAtThread } from "./look-at-thread.ts";

const SHOWN = 5;

/** Finds a thread by its id or by any unambiguous beginning or end of it, as git does with commits. */
export async function findThread(
  engine: Pick<Engine, "store" | "now">,
  part: string,
): Promise<Result<ThreadRecord, Failure>> {
  const ids = await engine.store.match(part, SHOWN + 1);
  const [id] = ids;
  if (id === undefined) return err(notFound(part));
  if (ids.length > 1) return err(ambiguous(part, ids));
  const seen = await lookAtThread(engine, id);
  return seen === null ? err(notFound(part)) : ok(seen.thread);
}

function notFound(part: string): Failure {
  return failure(
    "THREAD_NOT_FOUND",
    `no thread id begins or ends with ${JSON.stringify(part)}`,
    "see all of them with: uncaged-workflow thread list",
  );
}

function ambiguous(part: string, ids: readonly string[]): Failure {
  const shown = ids.slice(0, SHOWN).join(", ");
  const more = ids.length > SHOWN ? ", …" : "";
  return failure(
    "THREAD_AMBIGUOUS",
    `${JSON.stringify(part)} matches several threads: ${shown}${more}`,
    "give more characters",
  );
}
