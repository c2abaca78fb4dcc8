/** Whoever writes, ends, is superseded and removed, in whatever order: the log in files tells a reader what the log in
 *  memory does, wherever that reader begins. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LiveLog, LiveWriter } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { OTHER_THREAD, readEnd, says, THREAD } from "../live-suite/sample-events.ts";
import { fileLiveLog } from "./file-live-log.ts";
import { memoryLiveLog } from "./memory-live-log.ts";

/** The ends of a log that are open, by thread and fence. */
type Side = { log: LiveLog; writers: Map<string, LiveWriter> };
type Call = { shown: string; run: (side: Side) => unknown };

const THREADS = [THREAD, OTHER_THREAD];
const thread = fc.constantFrom(...THREADS);
const tenure = fc.record({ threadId: thread, fence: fc.integer({ min: 1, max: 3 }) });
const text = fc.string({ unit: "binary", maxLength: 40 });

const append = fc.tuple(tenure, text).map(([of, said]): Call => {
  const event = says(said, of.threadId);
  return {
    shown: `append ${JSON.stringify([of, said])}`,
    run: (side) => writerOf(side, of).append(event),
  };
});
const close = tenure.map((of): Call => {
  return { shown: `close ${JSON.stringify(of)}`, run: (side) => writerOf(side, of).close() };
});
const remove = thread.map((id): Call => {
  return {
    shown: `remove ${id}`,
    run: async ({ log, writers }) => {
      // Nobody removes a thread that somebody owns.
      for (const key of writers.keys()) if (key.startsWith(id)) writers.get(key)?.close();
      for (const key of [...writers.keys()]) if (key.startsWith(id)) writers.delete(key);
      await log.remove(id);
    },
  };
});

test("the log in files and the one in memory agree, whatever is called in whatever order", async () => {
  const calls = fc.array(
    fc.oneof(
      { weight: 8, arbitrary: append },
      { weight: 2, arbitrary: close },
      { weight: 1, arbitrary: remove },
    ),
    { minLength: 5, maxLength: 40 },
  );
  const property = fc.asyncProperty(calls, fc.integer({ min: 0, max: 12 }), async (each, after) => {
    const root = mkdtempSync(join(tmpdir(), "uwf-live-"));
    const files: Side = {
      log: fileLiveLog({ folder: (id) => join(root, id), boot: () => "this boot" }),
      writers: new Map(),
    };
    const memory: Side = { log: memoryLiveLog(), writers: new Map() };
    try {
      for (const { shown, run } of each) {
        for (const side of [files, memory]) {
          await run(side);
          for (const id of THREADS) side.log.flush(id);
        }
        for (const id of THREADS) {
          expect(await files.log.last(id), shown).toBe(await memory.log.last(id));
          for (const from of [0, after])
            expect(await readEnd(files.log, from, id), shown).toEqual(
              await readEnd(memory.log, from, id),
            );
        }
      }
    } finally {
      for (const writer of files.writers.values()) writer.close();
      rmSync(root, { recursive: true, force: true });
    }
  });
  await fc.assert(property, { numRuns: 40 });
}, 60_000);

function writerOf({ log, writers }: Side, of: { threadId: string; fence: number }): LiveWriter {
  const key = `${of.threadId} ${of.fence}`;
  const open = writers.get(key) ?? log.writer(of);
  writers.set(key, open);
  return open;
}
