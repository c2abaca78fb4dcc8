/** What the fault tests do to a files store, and what they expect to find before and after. */
import { mkdirSync, renameSync, utimesSync } from "node:fs";
import type { CollectReport, EncodedNode } from "@uncaged/workflow-protocol";
import { encodeContent } from "../node/codec.ts";
import { filesOnly } from "../root/files-only.test.helper.ts";
import { threadsAt } from "../suite/threads-at.ts";
import { asidePath, blobPath } from "./files-layout.ts";
import { openFilesStore } from "./files-store.ts";

export const step: readonly EncodedNode[] = [
  encodeContent("What the coder said. ".repeat(10)),
  encodeContent("What the state records. ".repeat(20)),
];

const leaf = encodeContent("live, set aside by mistake");
const root = encodeContent("live, a root", [leaf.hash]);
const dead = [encodeContent("dead, in the store"), encodeContent("dead, in the store too")];
const ripe = [encodeContent("dead, aside for long"), encodeContent("dead, aside for long too")];

/** A store with work for every part of a collection. */
export const littered: { live: EncodedNode[]; dead: EncodedNode[]; ripe: EncodedNode[] } = {
  live: [root, leaf],
  dead,
  ripe,
};

const HOUR_MS = 3_600_000;

async function litter(folder: string): Promise<void> {
  await openFilesStore(folder).putBatch([leaf, root, ...dead, ...ripe]);
  const longAgoMs = Date.now() - 10 * HOUR_MS;
  const aside = asidePath(folder, longAgoMs);
  mkdirSync(aside, { recursive: true });
  for (const { hash } of [leaf, ...ripe]) renameSync(blobPath(folder, hash), blobPath(aside, hash));
  utimesSync(aside, longAgoMs / 1000, longAgoMs / 1000);
}

function collect(folder: string): Promise<CollectReport> {
  const request = { nowMs: Date.now(), graceMs: HOUR_MS, dryRun: false };
  return filesOnly(folder, threadsAt([root.hash])).collect(request);
}

type Deed = { deed: (folder: string) => Promise<unknown>; prepare?: typeof litter };

export const deeds: { put: Deed; collect: Deed; delete: Deed } = {
  put: { deed: (folder) => openFilesStore(folder).putBatch(step) },
  collect: { prepare: litter, deed: collect },
  delete: { prepare: litter, deed: (folder) => openFilesStore(folder).delete(ripe[0]?.hash ?? "") },
};
