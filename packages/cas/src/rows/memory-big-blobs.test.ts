import type { BigBlobCopy } from "@uncaged/workflow-protocol";
import { test } from "vitest";
import { bigBlobsCases } from "../suite/big-blobs-suite.ts";
import { memoryBigBlobs } from "./memory-big-blobs.ts";

test.each(bigBlobsCases)("$name", ({ run }) => {
  const copies = new Map<string, { of: BigBlobCopy; bytes: Uint8Array; atMs: number }>();
  const damage = async (of: BigBlobCopy, bytes: Uint8Array) => {
    copies.set(of.copy, { of, bytes, atMs: Date.now() });
  };
  return run({ blobs: memoryBigBlobs(copies), damage });
});
