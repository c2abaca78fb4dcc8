/** What a disk asks for a step, without any system around it: the floor of the table. */
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openBareStep } from "../../parts/bare-step.mjs";

/** Bytes that everybody must at least bring to disk: the answer, its step, its head. */
const STEP_BYTES = 1_300;
/** Content and state of ours, deep in a thread. */
const BLOB_BYTES = [1_150, 2_100];

/** 1.3 KB appended to one file and flushed. */
export function openFlush(folder) {
  const fd = openSync(join(folder, "log"), "w");
  const bytes = Buffer.alloc(STEP_BYTES, "x");
  const once = () => {
    writeSync(fd, bytes);
    fdatasyncSync(fd);
  };
  return system(once, () => closeSync(fd));
}

/** Two files, their folder and one row, flushed: what ours needs with blobs as files. */
export function openFiles(folder) {
  const bare = openBareStep(folder, BLOB_BYTES);
  return system(bare.once, bare.close);
}

function system(once, close) {
  return {
    version: "",
    async thread(steps, between) {
      for (let step = 0; step < steps; step += 1) {
        await between();
        await once();
      }
    },
    close,
  };
}
