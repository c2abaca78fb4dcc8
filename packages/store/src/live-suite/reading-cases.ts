import assert from "node:assert/strict";
import { type LiveLogCase, ROOMY } from "./live-log-case.ts";
import {
  all,
  eventsOf,
  everyKind,
  isText,
  numbers,
  OTHER_THREAD,
  readEnd,
  readUntil,
  says,
  THREAD,
  textsOf,
} from "./sample-events.ts";

const isNewest = (item: Parameters<typeof isText>[0]): boolean => isText(item, "the end");

/** What a reader receives, whenever it starts and however slow it is. */
export const readingCases: readonly LiveLogCase[] = [
  {
    name: "returns every event as it was, numbered from 1",
    async run(open) {
      const log = open(ROOMY);
      const writer = log.writer({ threadId: THREAD, fence: 1 });
      for (const event of everyKind) writer.append(event);
      log.flush(THREAD);
      const items = await readEnd(log);
      assert.deepEqual(
        items,
        everyKind.map((event, at) => ({ seq: at + 1, ...event })),
      );
      assert.equal(await log.last(THREAD), everyKind.length);
      writer.close();
    },
  },
  {
    name: "has nothing of a thread that said nothing, and mixes no threads",
    async run(open) {
      const log = open(ROOMY);
      assert.deepEqual(await readEnd(log), []);
      assert.equal(await log.last(THREAD), 0);
      const writer = log.writer({ threadId: OTHER_THREAD, fence: 1 });
      writer.append(says("theirs", OTHER_THREAD));
      writer.close();
      assert.deepEqual(await readEnd(log), []);
      assert.deepEqual(textsOf(await readEnd(log, 0, OTHER_THREAD)), ["theirs"]);
    },
  },
  {
    name: "continues after the number that a reader had reached",
    async run(open) {
      const log = open(ROOMY);
      const writer = log.writer({ threadId: THREAD, fence: 1 });
      for (const at of numbers(1, 500)) writer.append(says(`${at}`));
      writer.close();
      for (const after of [0, 1, 250, 499, 500]) {
        const seqs = eventsOf(await readEnd(log, after)).map(({ seq }) => seq);
        assert.deepEqual(seqs, numbers(after + 1, 500));
      }
    },
  },
  {
    name: "starts over for a number that the log has not reached: it was another log",
    async run(open) {
      const log = open(ROOMY);
      const writer = log.writer({ threadId: THREAD, fence: 1 });
      writer.append(says("one"));
      writer.close();
      assert.deepEqual(textsOf(await readEnd(log, 7)), ["one"]);
    },
  },
  {
    name: "keeps a reader waiting for what comes, also one that was there before the first event",
    async run(open) {
      const log = open(ROOMY);
      const reading = readUntil(log, { after: 0, isLast: isNewest });
      const writer = log.writer({ threadId: THREAD, fence: 1 });
      for (const at of numbers(1, 20)) {
        writer.append(says(`${at}`));
        log.flush(THREAD);
        await new Promise((resolve) => setImmediate(resolve));
      }
      writer.append(says("the end"));
      writer.close();
      assert.deepEqual(textsOf(await reading), [...numbers(1, 20).map(String), "the end"]);
    },
  },
  {
    name: "lets every reader read all of it: early, late, slow, and one that comes back",
    async run(open) {
      const log = open(ROOMY);
      const early = readUntil(log, { after: 0, isLast: isNewest });
      const slow = (async () => {
        const texts: string[] = [];
        const { signal } = new AbortController();
        for await (const item of log.read(THREAD, { after: 0, until: "aborted", signal })) {
          texts.push(...textsOf([item]));
          if (isNewest(item)) break;
          if (texts.length % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        }
        return texts;
      })();
      const writer = log.writer({ threadId: THREAD, fence: 1 });
      for (const at of numbers(1, 1_500)) writer.append(says(`${at}`));
      log.flush(THREAD);
      const back = textsOf(await readEnd(log));
      for (const at of numbers(1_501, 2_400)) writer.append(says(`${at}`));
      writer.append(says("the end"));
      writer.close();
      const said = [...numbers(1, 2_400).map(String), "the end"];
      const late = readUntil(log, { after: 0, isLast: isNewest });
      const rest = readUntil(log, { after: back.length, isLast: isNewest });
      assert.deepEqual(textsOf(await early), said);
      assert.deepEqual(textsOf(await late), said);
      assert.deepEqual(await slow, said);
      assert.deepEqual([...back, ...textsOf(await rest)], said);
    },
  },
  {
    name: "lets a reader go that waits for nothing, without an error",
    async run(open) {
      const log = open(ROOMY);
      const abort = new AbortController();
      const opts = { after: 0, until: "aborted", signal: abort.signal } as const;
      const reading = all(log.read(THREAD, opts));
      setImmediate(() => abort.abort());
      assert.deepEqual(await reading, []);
      const again = all(log.read(THREAD, { ...opts, signal: AbortSignal.abort() }));
      assert.deepEqual(await again, []);
    },
  },
  {
    name: "cuts a text that is too long for a line, and leaves out what JSON cannot hold",
    async run(open) {
      const log = open(ROOMY);
      const writer = log.writer({ threadId: THREAD, fence: 1 });
      const long = "x".repeat(8 * 1024 * 1024);
      writer.append(says(long));
      const [, , , tool] = everyKind;
      assert(tool?.type === "agent" && tool.event.type === "tool" && tool.event.phase === "start");
      const many = Object.fromEntries(numbers(1, 9_000).map((at) => [`key ${at}`, "y".repeat(99)]));
      writer.append({ ...tool, event: { ...tool.event, input: many } });
      writer.append({ ...tool, event: { ...tool.event, input: { [long]: 1 } } });
      const circle: Record<string, unknown> = {};
      circle.self = circle;
      writer.append({
        ...says(""),
        type: "step_completed",
        role: "coder",
        round: 1,
        stateHash: "50SJJZ7PQ2G6X",
        meta: circle,
      });
      writer.append(says("short"));
      writer.close();
      const items = eventsOf(await readEnd(log));
      assert.deepEqual(
        items.map(({ seq, type }) => `${seq} ${type}`),
        ["1 agent", "2 agent", "3 agent", "4 agent"],
      );
      for (const item of items) assert(JSON.stringify(item).length < 256 * 1024);
      const [text = ""] = textsOf(items);
      assert(text.startsWith("xxx") && text.endsWith("…"));
    },
  },
];
