import assert from "node:assert/strict";
import { type LiveLogCase, ROOMY } from "./live-log-case.ts";
import {
  eventsOf,
  isText,
  numbers,
  readEnd,
  readUntil,
  says,
  THREAD,
  textsOf,
} from "./sample-events.ts";

/** Several owners of a thread, one after the other. */
export const ownerCases: readonly LiveLogCase[] = [
  {
    name: "counts on over owners, whether they closed their end or not",
    async run(open) {
      const log = open(ROOMY);
      const reading = readUntil(log, { after: 0, isLast: (item) => isText(item, "40") });
      for (const fence of numbers(1, 40)) {
        const writer = log.writer({ threadId: THREAD, fence });
        writer.append(says(`${fence}`));
        log.flush(THREAD);
        if (fence % 3 !== 0) writer.close();
      }
      const seqs = eventsOf(await readEnd(log)).map(({ seq }) => seq);
      assert.deepEqual(seqs, numbers(1, 40));
      assert.deepEqual(textsOf(await readEnd(log)), numbers(1, 40).map(String));
      assert.deepEqual(textsOf(await reading), numbers(1, 40).map(String));
    },
  },
  {
    name: "does not show what a superseded owner says once the next one has spoken",
    async run(open) {
      const log = open(ROOMY);
      const isLast = (item: Parameters<typeof isText>[0]): boolean => isText(item, "new 300");
      const reading = readUntil(log, { after: 0, isLast });
      const frozen = log.writer({ threadId: THREAD, fence: 3 });
      for (const at of numbers(1, 300)) frozen.append(says(`old ${at}`));
      log.flush(THREAD);
      const late = log.writer({ threadId: THREAD, fence: 2 });
      const owner = log.writer({ threadId: THREAD, fence: 4 });
      owner.append(says("new 1"));
      log.flush(THREAD);
      for (const at of numbers(2, 300)) {
        late.append(says(`late ${at}`));
        frozen.append(says(`zombie ${at}`));
        owner.append(says(`new ${at}`));
        if (at % 50 === 0) log.flush(THREAD);
      }
      for (const writer of [frozen, owner, late]) writer.close();
      const all = [
        ...numbers(1, 300).map((at) => `old ${at}`),
        ...numbers(1, 300).map((at) => `new ${at}`),
      ];
      const items = await readEnd(log);
      assert.deepEqual(textsOf(items), all);
      assert.deepEqual(
        eventsOf(items).map(({ seq }) => seq),
        numbers(1, 600),
      );
      assert.deepEqual(textsOf(await reading), all);
    },
  },
  {
    name: "drops what is said after the end, and closing twice is no harm",
    async run(open) {
      const log = open(ROOMY);
      const writer = log.writer({ threadId: THREAD, fence: 1 });
      writer.append(says("one"));
      writer.close();
      writer.append(says("two"));
      writer.close();
      assert.deepEqual(textsOf(await readEnd(log)), ["one"]);
    },
  },
  {
    name: "forgets all of a thread that is removed, and another by its name begins at 1",
    async run(open) {
      const log = open(ROOMY);
      const first = log.writer({ threadId: THREAD, fence: 1 });
      for (const at of numbers(1, 50)) first.append(says(`${at}`));
      first.close();
      await log.remove(THREAD);
      assert.deepEqual(await readEnd(log), []);
      const second = log.writer({ threadId: THREAD, fence: 1 });
      second.append(says("anew"));
      second.close();
      assert.deepEqual(
        eventsOf(await readEnd(log)).map(({ seq }) => seq),
        [1],
      );
      await log.remove(THREAD);
      await log.remove(THREAD);
    },
  },
];
