import {
  parseJson,
  WORKER_STALE_MS,
  type WorkerFacts,
  type WorkerRecord,
} from "@uncaged/workflow-protocol";
import { damagedRow } from "./firing-rows.ts";
import { storedNames } from "./queue-places.ts";
import type { NamedRow } from "./thread-columns.ts";

/** Throws `STORAGE_FAILED` for a row that this program cannot have written. */
export function workerOf(
  row: NamedRow,
  { nowMs, threads }: { nowMs: number; threads: readonly string[] },
): WorkerRecord {
  const { worker, pid, processSince, bootId, host, version, startedAt, seenAt } = row;
  const { atOnce, drainingAt } = row;
  if (
    typeof worker !== "string" ||
    typeof pid !== "number" ||
    typeof processSince !== "string" ||
    typeof bootId !== "string" ||
    typeof host !== "string" ||
    typeof version !== "string" ||
    typeof startedAt !== "number" ||
    typeof seenAt !== "number" ||
    !isNumber(atOnce) ||
    !isNumber(drainingAt)
  )
    throw damagedRow(`worker ${String(worker)}`);
  const process = { pid, startedAt: processSince, bootId };
  const stale = seenAt + WORKER_STALE_MS <= nowMs;
  const times = { startedAt, seenAt, drainingAt, stale };
  return { worker, process, host, ...servesOf(row), atOnce, version, ...times, threads };
}

/** Throws `STORAGE_FAILED`. */
export function servesOf({
  worker,
  pools,
  labels,
}: NamedRow): Pick<WorkerFacts, "pools" | "labels"> {
  const [served, has] = [namesIn(pools), namesIn(labels)];
  if (served === null || has === null) throw damagedRow(`worker ${String(worker)}`);
  return { pools: served, labels: has };
}

function namesIn(stored: unknown): string[] | null {
  return typeof stored === "string" ? storedNames(parseJson(stored)) : null;
}

function isNumber(value: unknown): value is number | null {
  return value === null || typeof value === "number";
}
