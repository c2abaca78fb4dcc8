/** Writes as a thread does: puts a blob, waits, refers to it from a node, and moves its head.
 *
 *      node beside-writers.test.child.ts <store> <head file>
 *
 *  Ends with the round in which its stdin is closed. The texts come from a small pool, so that blobs keep becoming garbage and being needed again. */
import { renameSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { encodeContent } from "../node/codec.ts";
import { openFilesStore } from "./files-store.ts";

const [folder = "", headFile = ""] = process.argv.slice(2);
const store = openFilesStore(folder);
let chain: string[] = [];
let isAsked = true;
process.stdin.on("end", () => {
  isAsked = false;
});
process.stdin.resume();

for (let round = 0; isAsked; round++) {
  const needed = await store.put(`pooled text ${Math.floor(Math.random() * 6)}`);
  await pause(Math.random() * 10);
  const node = encodeContent(`${process.pid} ${round}`, [needed, ...chain]);
  await store.putBatch([node]);
  writeFileSync(`${headFile}.new`, node.hash);
  renameSync(`${headFile}.new`, headFile);
  chain = round % 3 === 0 ? [] : [node.hash];
}
