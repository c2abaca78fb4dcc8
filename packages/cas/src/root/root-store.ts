import {
  type BigBlobs,
  type BlobTable,
  failure,
  type RootStore,
  type StoreKind,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { type BigRows, withBigBlobs } from "../rows/big-rows.ts";
import { type BlobPlaces, fitsRow, PACKED_MAX_BYTES } from "./blob-places.ts";
import { blobsInPlaces } from "./blobs-in-places.ts";
import { checkBlobs } from "./fsck.ts";
import { collectGarbage, type RootThreads } from "./gc.ts";
import { packBlobs, unpackBlobs } from "./move-blobs.ts";
import { NO_WRITE_BEHIND, writeBehind } from "./write-behind.ts";

/** When nothing was published for this long, a role is probably at work. */
const QUIET_MS = 50;

/** A copy this old has a row, or nobody will store one. */
const FORSAKEN_MS = 24 * 60 * 60 * 1000;

/** Where blobs go that are too long for a row. In a root that many machines share, no blob may be a file of one. */
export type LongBlobs = "files" | "rows" | BigBlobs;

/** The store of a storage root. `threads`: those whose blobs it keeps. `kind`: the final place of new blobs. `quietMs`:
 *  how long a root of files waits for another step before it writes the last ones out. `long`: unless "files", `kind` is
 *  "packed". Closing this closes neither the table nor the threads. */
export function openRootStore(
  root: BlobPlaces & { threads: RootThreads; kind: StoreKind; quietMs?: number; long?: LongBlobs },
): RootStore {
  const { dir, threads, kind, quietMs = QUIET_MS, long = "files" } = root;
  const big = typeof long === "string" ? null : bigRows(root.table, long);
  const places = { dir, table: big ?? root.table };
  const fits = long === "files" ? fitsRow : () => true;
  const behind = kind === "files" ? writeBehind(places, quietMs) : NO_WRITE_BEHIND;
  return {
    ...blobsInPlaces(places, { kind, behind, fits }),
    recover: (head) => behind.recover(head),
    flush: () => behind.flush(),
    async collect(request) {
      const report = await collectGarbage({ ...places, threads }, request);
      if (request.dryRun) return report;
      // What killed owners left of threads that nobody has resumed.
      await behind.recoverAll();
      await big?.sweep(request.nowMs - FORSAKEN_MS);
      const left = await behind.flush();
      if (left !== null) throw new WorkflowError(left);
      return report;
    },
    check: (roots) => checkBlobs(places, roots),
    move: async (to) => {
      if (long !== "files") throw shared();
      return to === "packed" ? packBlobs(places) : unpackBlobs(places);
    },
    async close() {
      await behind.flush();
    },
  };
}

function bigRows(table: BlobTable, big: BigBlobs): BigRows {
  return withBigBlobs(table, { big, maxRowBytes: PACKED_MAX_BYTES });
}

function shared(): WorkflowError {
  return new WorkflowError(
    failure(
      "USAGE",
      "the blobs of this storage root are in PostgreSQL and cannot become files",
      "",
    ),
  );
}
