import assert from "node:assert/strict";
import type { LiveItem } from "@uncaged/workflow-protocol";
import type { LiveLogCase } from "./live-log-case.ts";
import { isText, numbers, readEnd, readUntil, says, THREAD, textsOf } from "./sample-events.ts";

const TOTAL_BYTES = 128 * 1024;
const COUNT = 5_000;
const lastOne = (item: LiveItem): boolean => isText(item, `${COUNT}`);

/** The log is bounded, and readers learn what was dropped. */
export const boundCases: readonly LiveLogCase[] = [
  {
    name: "keeps the newest, as much as was promised and not much more, and says what is gone",
    async run(open) {
      const log = open({ totalBytes: TOTAL_BYTES });
      const writer = log.writer({ threadId: THREAD, fence: 1 });
      for (const at of numbers(1, COUNT)) {
        writer.append(says(`${at}`));
        if (at % 5 === 0) log.flush(THREAD);
      }
      writer.close();
      const [gap, ...events] = await readEnd(log);
      assert(gap?.type === "gap" && gap.from === 1);
      assert.deepEqual(textsOf(events), numbers(gap.to + 1, COUNT).map(String));
      const bytes = events.map((item) => JSON.stringify(item).length).reduce((a, b) => a + b, 0);
      assert(bytes > TOTAL_BYTES / 2 && bytes < TOTAL_BYTES * 1.5, `${bytes} bytes kept`);
      const later = await readEnd(log, 100);
      assert.deepEqual(later[0], { ...gap, from: 101 });
    },
  },
  {
    name: "tells a reader that was too slow what it missed, and leaves nothing out besides",
    async run(open) {
      const log = open({ totalBytes: TOTAL_BYTES });
      const writer = log.writer({ threadId: THREAD, fence: 1 });
      writer.append(says("1"));
      log.flush(THREAD);
      const { signal } = new AbortController();
      const read = log.read(THREAD, { after: 0, until: "aborted", signal })[Symbol.asyncIterator]();
      const seen: LiveItem[] = [];
      const first = await read.next();
      assert(!first.done);
      seen.push(first.value);
      for (const at of numbers(2, COUNT)) {
        writer.append(says(`${at}`));
        if (at % 5 === 0) log.flush(THREAD);
      }
      writer.close();
      for (let next = await read.next(); !next.done; next = await read.next()) {
        seen.push(next.value);
        if (lastOne(next.value)) break;
      }
      await read.return?.();
      assert.equal(seen.filter(({ type }) => type === "gap").length, 1);
      assert.deepEqual(accounted(seen), numbers(1, COUNT));
    },
  },
  {
    name: "returns readers of a flood each number once, as an event or as part of a gap",
    async run(open) {
      const log = open({ totalBytes: TOTAL_BYTES });
      const readers = numbers(1, 3).map(() => readUntil(log, { after: 0, isLast: lastOne }));
      const writer = log.writer({ threadId: THREAD, fence: 1 });
      for (const at of numbers(1, COUNT)) {
        writer.append(says(`${at}`));
        if (at % 10 !== 0) continue;
        log.flush(THREAD);
        await new Promise((resolve) => setImmediate(resolve));
      }
      writer.close();
      for (const items of await Promise.all(readers)) {
        assert.deepEqual(accounted(items), numbers(1, COUNT));
      }
    },
  },
];

function accounted(items: readonly LiveItem[]): number[] {
  return items.flatMap((item) => (item.type === "gap" ? numbers(item.from, item.to) : [item.seq]));
}
