import { type RootStore, type StoreKind, WorkflowError } from "@uncaged/workflow-protocol";
import type { BlobPlaces } from "./blob-places.ts";
import { blobsInPlaces } from "./blobs-in-places.ts";
import { checkBlobs } from "./fsck.ts";
import { collectGarbage, type RootThreads } from "./gc.ts";
import { packBlobs, unpackBlobs } from "./move-blobs.ts";
import { NO_WRITE_BEHIND, writeBehind } from "./write-behind.ts";

/** When nothing was published for this long, a role is probably at work. */
const QUIET_MS = 50;

/** The store of a storage root. `threads`: those whose blobs it keeps. `kind`: the final place of new blobs. `quietMs`:
 *  how long a root of files waits for another step before it writes the last ones out. Closing this closes neither the
 *  table nor the threads. */
export function openRootStore(
  root: BlobPlaces & { threads: RootThreads; kind: StoreKind; quietMs?: number },
): RootStore {
  const { dir, table, threads, kind, quietMs = QUIET_MS } = root;
  const places = { dir, table };
  const behind = kind === "files" ? writeBehind(places, quietMs) : NO_WRITE_BEHIND;
  return {
    ...blobsInPlaces(places, { kind, behind }),
    recover: (head) => behind.recover(head),
    flush: () => behind.flush(),
    async collect(request) {
      const report = await collectGarbage({ ...places, threads }, request);
      if (request.dryRun) return report;
      // What killed owners left of threads that nobody has resumed.
      await behind.recoverAll();
      const left = await behind.flush();
      if (left !== null) throw new WorkflowError(left);
      return report;
    },
    check: (roots) => checkBlobs(places, roots),
    move: (to) => (to === "packed" ? packBlobs(places) : unpackBlobs(places)),
    async close() {
      await behind.flush();
    },
  };
}
