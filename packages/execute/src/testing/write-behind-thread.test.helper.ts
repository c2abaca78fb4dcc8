/** A storage root of files on disk and a thread in it whose lease the test holds. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BlobPlaces, encodeContent, openRootStore } from "@uncaged/workflow-cas";
import type { BlobTable, EncodedNode, OwnerMove, RootStore } from "@uncaged/workflow-protocol";
import { type Index, openIndex } from "@uncaged/workflow-store";
import { heldThread } from "./held-thread.test.helper.ts";

const THREAD_ID = "01KAJ2Z6PVX0000000000000AB";

/** Longer than a test, so rows are written out only on request. */
const NEVER_MS = 2 ** 31 - 1;

export type BehindRoot = {
  root: string;
  places: BlobPlaces;
  index: Index;
  /** What the thread began with; it is not stored. */
  start: EncodedNode;
  /** The fence of the lease. */
  owner: { threadId: string; fence: number };
  /** The move from the thread's head to this node. */
  moveTo(node: EncodedNode): Promise<OwnerMove>;
  /** A store on the root's own table, or on a wrapper of it. */
  open(opts?: { table?: BlobTable; quietMs?: number }): RootStore;
  heads(): Promise<string[]>;
  close(): Promise<void>;
};

export async function behindRoot(): Promise<BehindRoot> {
  const root = mkdtempSync(join(tmpdir(), "behind-"));
  const index = await openIndex(root);
  const places = { dir: join(root, "cas"), table: index.blobs };
  const start = encodeContent("start");
  const owner = {
    threadId: THREAD_ID,
    fence: await heldThread(index.threads, { threadId: THREAD_ID, start }),
  };
  return {
    root,
    places,
    index,
    start,
    owner,
    moveTo: async ({ hash, sha256 }) => {
      const from = (await index.threads.get(THREAD_ID))?.head ?? "";
      return { ...owner, kind: "append", from, to: hash, toSha256: sha256, nowMs: 1 };
    },
    open: ({ table = index.blobs, quietMs = NEVER_MS } = {}) =>
      openRootStore({ dir: places.dir, table, threads: index.threads, kind: "files", quietMs }),
    heads: async () => [(await index.threads.get(THREAD_ID))?.head ?? ""],
    close: async () => {
      await index.threads.close();
      rmSync(root, { recursive: true });
    },
  };
}
