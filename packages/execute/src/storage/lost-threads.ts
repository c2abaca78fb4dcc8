import { findLostThreads } from "@uncaged/workflow-cas";
import type { HistoryLine } from "@uncaged/workflow-protocol";
import type { Engine } from "./engine.ts";

/** Finished threads that the index does not know and whose last state is still stored. Changes nothing. */
export async function endedAndLost({
  store,
  cas,
}: Pick<Engine, "store" | "cas">): Promise<HistoryLine[]> {
  const { ended } = await findLostThreads(store);
  const here = await cas.getMany(ended.map(({ head }) => head));
  return ended.filter(({ head }) => here.has(head));
}
