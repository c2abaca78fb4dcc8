import { checkBlobs } from "@uncaged/workflow-cas";
import type { CheckReport } from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import type { Engine } from "./engine.ts";

/** Checks every blob of the storage root and everything that a thread reaches. Changes nothing. */
export async function checkStorage(
  engine: Pick<Engine, "root" | "store" | "table">,
): Promise<CheckReport> {
  const threads = await engine.store.roots();
  return checkBlobs({
    dir: storagePaths(engine.root).cas,
    table: engine.table,
    roots: threads.flatMap(({ startHash, head }) => [startHash, head]),
  });
}
