/** Writes as a thread does: puts a blob, waits, refers to it from a node, and publishes that.
 *
 *      node packed-writers.test.child.ts <root> <kind> <thread number>
 *
 *  Ends with the step in which its stdin is closed. Prints the number of each step that was acknowledged; exits with 7 when the storage refused one. The texts come
 *  from a small pool, so that blobs keep becoming garbage and being needed again. */
import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { encodeContent, openRootStore } from "@uncaged/workflow-cas";
import { failureFrom, type HeadMove } from "@uncaged/workflow-protocol";
import { openIndex } from "@uncaged/workflow-store";
import { storagePaths } from "@uncaged/workflow-util";
import { heldThread } from "../testing/held-thread.test.helper.ts";

const [root = "", kind = "", no = ""] = process.argv.slice(2);
const { threads, blobs: table } = await openIndex(root);
const cas = openRootStore({
  dir: storagePaths(root).cas,
  table,
  threads,
  kind: kind === "packed" ? "packed" : "files",
  // Shorter than the pauses between its steps, so rows keep becoming files.
  quietMs: 3,
});
const threadId = no.padStart(26, "0");
const start = encodeContent(`start of ${no}`);
await cas.putBatch([start]);
const fence = await heldThread(threads, { threadId, start });
let head = start.hash;
let chain: string[] = [];
let isAsked = true;
process.stdin.on("end", () => {
  isAsked = false;
});
process.stdin.resume();
for (let step = 1; isAsked; step += 1) {
  try {
    await makeStep(step);
  } catch (thrown) {
    // 7: an orderly refusal, not a bug.
    process.exit(failureFrom(thrown, "INTERNAL").code === "STORAGE_FAILED" ? 7 : 1);
  }
  writeSync(1, `${step}\n`);
}
await cas.flush();
await threads.close();

async function makeStep(step: number): Promise<void> {
  const needed = await cas.put(`pooled text ${Math.floor(Math.random() * 6)}`);
  await pause(Math.random() * 10);
  const long = step % 10 === 0 ? "long ".repeat(60_000) : "";
  const node = encodeContent(`${no} ${step} ${long}`, [needed, ...chain]);
  const move: HeadMove = {
    kind: "append",
    threadId,
    fence,
    from: head,
    to: node.hash,
    toSha256: node.sha256,
    nowMs: Date.now(),
  };
  await cas.publish([node], move);
  head = node.hash;
  chain = step % 3 === 0 ? [] : [node.hash];
}
