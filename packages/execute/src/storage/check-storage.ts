import type { CheckReport, Problem } from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";
import { endedAndLost } from "./lost-threads.ts";

/** Checks every blob of the storage root and everything that threads reach, and that no thread was lost. Changes
 *  nothing. */
export async function checkStorage(
  engine: Pick<Engine, "root" | "store" | "cas">,
): Promise<CheckReport> {
  const threads = await engine.store.roots();
  const report = await engine.cas.check(
    threads.flatMap(({ startHash, head }) => [startHash, head]),
  );
  const lost = (await endedAndLost(engine)).map(unknownThread);
  return { ...report, ok: report.ok && lost.length === 0, problems: [...report.problems, ...lost] };
}

function unknownThread({ threadId, head }: { threadId: string; head: string }): Problem {
  const message = `thread ${threadId} is in the history but not in index.db; see: uncaged-workflow doctor`;
  return { code: "STORAGE_DAMAGED", hash: head, message };
}
