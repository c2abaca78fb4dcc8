import { type BlobTable, type HeadMove, WorkflowError } from "@uncaged/workflow-protocol";
import {
  bookingValues,
  moveValues,
  nameOf,
  pieceOf,
  signalsOf,
} from "@uncaged/workflow-store/backend";
import type { Database } from "../database/database.ts";
import { codeOf } from "../database/failures.ts";
import { NOT_USUAL, PUBLISH, PUBLISHED } from "../tables/publish.ts";

type Write = BlobTable["write"];

/** What a step was told beside its signals; null: nothing yet. */
export type Told = { hasBudget: boolean; atMs: number } | null;

/** Stores blobs, and moves a head with them, in one statement; what is unusual is left to `operation`. */
export function publishing(
  database: Database,
  operation: Write,
  tell: (told: Told) => void,
): Write {
  return async (write) => {
    const { rows, replacing, move } = write;
    if (replacing.length > 0 || move?.kind === "answer") return await operation(write);
    const names = rows.map(({ hash }) => String(nameOf(hash)));
    const values = [names, rows.map(({ bytes }) => bytes), ...valuesOf(move)];
    const what =
      move === null ? `store ${rows.length} blobs` : `publish a step of thread ${move.threadId}`;
    try {
      const { rows: answer } = await database.query(what, { text: PUBLISH, values });
      const row = objectIn(answer[0]);
      if (row !== null) tell({ hasBudget: row.hasBudget !== false, atMs: performance.now() });
      return { kind: "written", signals: row === null ? [] : signalsOf(row) };
    } catch (thrown) {
      if (thrown instanceof WorkflowError && codeOf(thrown.cause) === NOT_USUAL)
        return await operation(write);
      throw thrown;
    }
  };
}

function valuesOf(move: Exclude<HeadMove, { kind: "answer" }> | null): unknown[] {
  if (move === null) return PUBLISHED.map(() => null);
  const spent = "spent" in move ? (move.spent ?? null) : null;
  const values: { readonly [name: string]: unknown } = {
    ...moveValues(move),
    kind: move.kind,
    fence: move.fence,
    ...(move.kind === "upgrade" ? { bundleHash: move.bundleHash } : {}),
    ...(spent === null ? {} : { ...bookingValues(spent, move.nowMs), ...pieceOf(move.nowMs) }),
    requests: 0,
  };
  return PUBLISHED.map((name) => values[name] ?? null);
}

function objectIn(row: unknown): Readonly<Record<string, unknown>> | null {
  return typeof row === "object" && row !== null ? { ...row } : null;
}
