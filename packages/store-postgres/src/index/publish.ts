/** Steps of many threads of one process share statements.
 *
 *  1. What is requested in one turn of the event loop, or while earlier statements are on their way, is the next one.
 *  2. A step that the statement leaves out is published by the operation, alone. */
import {
  type BlobTable,
  type BlobWrite,
  type HeadMove,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import {
  bookingValues,
  moveValues,
  nameOf,
  pieceOf,
  signalsOf,
} from "@uncaged/workflow-store/backend";
import type { Database } from "../database/database.ts";
import { codeOf } from "../database/failures.ts";
import { NOT_USUAL, PUBLISH, PUBLISH_MANY, PUBLISHED } from "../tables/publish.ts";

type Write = BlobTable["write"];

/** What a step was told beside its signals; null: nothing yet. */
export type Told = { hasBudget: boolean; atMs: number } | null;

/** Statements on their way; a further one waits for one of them. */
const AT_ONCE = 2;
/** Steps of one statement, and bytes of their blobs. */
const MOST = 64;
const MOST_BYTES = 4 * 1024 ** 2;

type Step = {
  what: string;
  names: string[];
  bytes: Uint8Array[];
  values: unknown[];
  resolve: (written: BlobWrite | "unusual") => void;
  reject: (cause: unknown) => void;
};

/** Stores blobs, and moves a head with them, in one statement; what is unusual is left to `operation`. */
export function publishing(
  database: Database,
  operation: Write,
  tell: (told: Told) => void,
): Write {
  const waiting: Step[] = [];
  let onTheWay = 0;
  const go = (): void => {
    if (onTheWay === AT_ONCE || waiting.length === 0) return;
    onTheWay += 1;
    void published(database, nextOf(waiting), tell).then(() => {
      onTheWay -= 1;
      go();
    });
    go();
  };
  return async (write) => {
    const { rows, replacing, move } = write;
    if (replacing.length > 0 || move?.kind === "answer") return await operation(write);
    const written = await new Promise<BlobWrite | "unusual">((resolve, reject) => {
      if (waiting.length === 0) setImmediate(go);
      waiting.push({
        what:
          move === null
            ? `store ${rows.length} blobs`
            : `publish a step of thread ${move.threadId}`,
        names: rows.map(({ hash }) => String(nameOf(hash))),
        bytes: rows.map(({ bytes }) => bytes),
        values: valuesOf(move),
        resolve,
        reject,
      });
    });
    return written === "unusual" ? await operation(write) : written;
  };
}

/** Takes the first that fit into one statement; at least one. */
function nextOf(waiting: Step[]): Step[] {
  let size = 0;
  let count = 0;
  for (const { bytes } of waiting.slice(0, MOST)) {
    size += bytes.reduce((sum, each) => sum + each.byteLength, 0);
    if (count > 0 && size > MOST_BYTES) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

/** Settles all of them; never rejects. */
async function published(
  database: Database,
  steps: readonly Step[],
  tell: (told: Told) => void,
): Promise<void> {
  const [only] = steps;
  try {
    const news =
      only !== undefined && steps.length === 1
        ? [await publishOne(database, only)]
        : await publishMany(database, steps);
    for (const [at, step] of steps.entries()) {
      const row = news[at] ?? null;
      if (row !== null && row !== "unusual")
        tell({ hasBudget: row.hasBudget !== false, atMs: performance.now() });
      if (row === "unusual") step.resolve(row);
      else step.resolve({ kind: "written", signals: row === null ? [] : signalsOf(row) });
    }
  } catch (cause) {
    for (const { reject } of steps) reject(cause);
  }
}

/** The row of a step that has a head; null: it has none. */
type News = Readonly<Record<string, unknown>> | "unusual" | null;

async function publishOne(database: Database, step: Step): Promise<News> {
  const values = [step.names, step.bytes, ...step.values];
  try {
    const { rows } = await database.query(step.what, { text: PUBLISH, values });
    return objectIn(rows[0]);
  } catch (thrown) {
    if (thrown instanceof WorkflowError && codeOf(thrown.cause) === NOT_USUAL) return "unusual";
    throw thrown;
  }
}

async function publishMany(database: Database, steps: readonly Step[]): Promise<News[]> {
  const values = [
    steps.flatMap(({ names }) => names),
    steps.flatMap(({ bytes }) => bytes),
    steps.map(({ names }) => names.length),
    ...PUBLISHED.map((_, at) => steps.map((step) => step.values[at])),
  ];
  const what = `publish steps of ${steps.length} threads`;
  const { rows } = await database.query(what, { text: PUBLISH_MANY, values });
  const news: News[] = steps.map(() => null);
  for (const row of rows.map(objectIn))
    if (row !== null) news[Number(row.place)] = row.done === true ? row : "unusual";
  return news;
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
