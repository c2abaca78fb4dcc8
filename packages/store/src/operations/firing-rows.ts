/** Converts rows of the index to firings. Throws `STORAGE_FAILED` for a row that this program cannot have written. */
import {
  type Firing,
  type FiringState,
  failure,
  OVERLAPS,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import type { NamedRow } from "./thread-columns.ts";

/** The states of firings that started nothing, as SQL texts. */
export const STARTED_NOTHING = "'skipped', 'missed', 'failed'";

type FiringValues = Record<"schedule" | "overlap" | "state", string> &
  Record<"dueAt" | "notBefore", number> &
  Record<"threadId" | "reason", string | null>;

export function firingValues(firing: Firing): FiringValues {
  const { schedule, dueAt, notBefore, overlap, state } = firing;
  const threadId = "threadId" in firing ? firing.threadId : null;
  const reason = "reason" in firing ? JSON.stringify(firing.reason) : null;
  return { schedule, dueAt, notBefore, overlap, state, threadId, reason };
}

export function firingOf(row: NamedRow): Firing {
  const { schedule, dueAt, notBefore } = row;
  const overlap = OVERLAPS.find((known) => known === row.overlap);
  const state = stateOf(row);
  if (
    typeof schedule !== "string" ||
    typeof dueAt !== "number" ||
    typeof notBefore !== "number" ||
    overlap === undefined ||
    state === null
  )
    throw damagedRow(`firing ${String(dueAt)} of schedule ${String(schedule)}`);
  return { schedule, dueAt, notBefore, overlap, ...state };
}

function stateOf({ state, threadId, reason }: NamedRow): FiringState | null {
  if (state === "waiting" || state === "starting") return { state };
  if (state === "started" || state === "ended")
    return typeof threadId === "string" ? { state, threadId } : null;
  if (state !== "skipped" && state !== "missed" && state !== "failed") return null;
  const words: unknown = typeof reason === "string" ? JSON.parse(reason) : null;
  return typeof words === "string" ? { state, reason: words } : null;
}

export function damagedRow(what: string): WorkflowError {
  return new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `the index has no valid row for ${what}`,
      "the index was changed by another program; restore it from a backup",
    ),
  );
}
