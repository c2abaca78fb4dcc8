import { expect, test } from "vitest";
import { nodeStoreCases } from "../suite/node-store-suite.ts";
import { openMemoryStore } from "./memory-store.ts";

test.each(nodeStoreCases)("a memory store $name", async ({ run }) => {
  const blobs = new Map<string, string>();
  const damage = async (hash: string, bytes: Buffer) =>
    void blobs.set(hash, bytes.toString("latin1"));
  await run({ store: openMemoryStore(blobs), damage });
});

test("two stores over one map see the same blobs", async () => {
  const blobs = new Map<string, string>();
  const hash = await openMemoryStore(blobs).put("shared");
  expect(await openMemoryStore(blobs).get(hash)).toBe(blobs.get(hash));
});
