/** A files store whose steps are rows at first: it keeps the promises of every backend, before and after it writes
 *  them out. */
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { encodeContent, encodeState, openRootStore, PACKED_MAX_BYTES } from "@uncaged/workflow-cas";
import { nodeStoreCases } from "@uncaged/workflow-cas/suite";
import type { BlobTable, EncodedNode, NodeStore, RootStore } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type BehindRoot, behindRoot } from "../testing/write-behind-thread.test.helper.ts";

const START = encodeContent("start").hash;

let at: BehindRoot;
let dir = "";
beforeEach(async () => {
  at = await behindRoot();
  dir = at.places.dir;
});
afterEach(() => at.close());

const rows = () => at.index.blobs.list();
const files = () =>
  existsSync(dir)
    ? readdirSync(dir)
        .map((name) => name.slice(0, 13))
        .sort()
    : [];
const hashesOf = (nodes: readonly EncodedNode[]) => nodes.map(({ hash }) => hash).sort();
const texts = (count: number, what = "step") =>
  Array.from({ length: count }, (_, n) => encodeContent(`${what} ${n}`));

/** Publishes each node as a step of its own. */
async function publishAll(store: RootStore, nodes: readonly EncodedNode[]): Promise<void> {
  for (const node of nodes) await store.publish([node], await at.moveTo(node));
}

/** Publishes whatever is put, one step at a time; `settled`: also writes it out before anything else happens. */
function publishing(settled: boolean): NodeStore {
  const store = at.open();
  const publish = async (nodes: readonly EncodedNode[]): Promise<void> => {
    await store.publish(nodes, await at.moveTo(nodes.at(-1) ?? encodeContent("nothing")));
    if (settled) expect(await store.flush()).toBe(null);
  };
  let last: Promise<void> = Promise.resolve();
  const putBatch = (nodes: readonly EncodedNode[]): Promise<void> => {
    const mine = last.then(() => publish(nodes));
    last = mine.catch(() => {});
    return mine;
  };
  return {
    ...store,
    putBatch,
    put: async (content) => {
      const node = encodeContent(content);
      await putBatch([node]);
      return node.hash;
    },
  };
}

/** Corrupts the blob wherever it is stored. */
async function damage(hash: string, bytes: Buffer): Promise<void> {
  const file = join(dir, `${hash}.txt`);
  if (existsSync(file)) return writeFileSync(file, bytes);
  const row = await at.index.blobs.read(hash);
  const db = new DatabaseSync(join(at.root, "index.db"));
  db.prepare("UPDATE blobs SET bytes = ? WHERE bytes = ?").run(bytes, row?.bytes ?? null);
  db.close();
}

test.each(nodeStoreCases)("a store that publishes rows $name", ({ run }) =>
  run({ store: publishing(false), damage }),
);

test.each(nodeStoreCases)("a store that has written its rows out $name", ({ run }) =>
  run({ store: publishing(true), damage }),
);

test("a step is rows until it is written out, and then files alone", async () => {
  const store = at.open();
  const nodes = texts(100);
  await publishAll(store, nodes);
  expect([await rows(), files()]).toEqual([hashesOf(nodes), []]);
  expect(await store.flush()).toBe(null);
  expect([await rows(), files()]).toEqual([[], hashesOf(nodes)]);
});

test("what is too long for a row is a file before the head names it", async () => {
  const [short, long] = [encodeContent("short"), encodeContent("x".repeat(PACKED_MAX_BYTES))];
  await at.open().publish([short, long], await at.moveTo(short));
  expect([await rows(), files()]).toEqual([[short.hash], [long.hash]]);
});

test("what is put without a step is a file at once", async () => {
  const hash = await at.open().put("an artifact");
  expect([await rows(), files()]).toEqual([[], [hash]]);
});

test("a refused step leaves nothing behind", async () => {
  const store = at.open();
  const node = encodeContent("late");
  const move = { ...(await at.moveTo(node)), fence: 99 };
  await expect(store.publish([node], move)).rejects.toMatchObject({
    failure: { code: "LEASE_LOST" },
  });
  await store.flush();
  expect([await rows(), files()]).toEqual([[], []]);
});

test("while a role is at work the last steps are written out", async () => {
  const store = at.open({ quietMs: 5 });
  for (const round of [1, 2]) {
    await publishAll(store, texts(3, `round ${round}`));
    while ((await rows()).length > 0) await sleep(5);
    expect(files()).toHaveLength(3 * round);
  }
});

test("steps that never pause are written out all the same, and few of them wait", async () => {
  const store = at.open();
  const nodes = texts(2_600);
  for (let from = 0; from < nodes.length; from += 100) {
    const step = nodes.slice(from, from + 100);
    await store.publish(step, await at.moveTo(step[0] ?? encodeContent("")));
  }
  expect((await rows()).length).toBeLessThanOrEqual(2_100);
  await store.flush();
  expect([await rows(), files()]).toEqual([[], hashesOf(nodes)]);
});

test("a blob that is published again while it is written out is a file in the end", async () => {
  const store = at.open();
  const [node] = texts(1);
  if (node === undefined) return;
  for (let round = 0; round < 20; round += 1) {
    await store.publish([node], await at.moveTo(node));
    const settled = store.flush();
    await store.publish([node], await at.moveTo(node));
    expect(await store.get(node.hash)).toBe(node.text);
    await settled;
    expect(await store.get(node.hash)).toBe(node.text);
  }
  await store.flush();
  expect([await rows(), files()]).toEqual([[], [node.hash]]);
});

test("a folder that cannot be written keeps no step from being made, and no step is lost by it", async () => {
  writeFileSync(dir, "no folder");
  const store = openRootStore({
    ...at.places,
    dir: join(dir, "below"),
    threads: at.index.threads,
    kind: "files",
  });
  const nodes = texts(3);
  await publishAll(store, nodes.slice(0, 2));
  expect(await store.flush()).toMatchObject({ code: "STORAGE_FAILED" });
  expect(await rows()).toEqual(hashesOf(nodes.slice(0, 2)));
});

test("what could not be written out is tried again with what comes next", async () => {
  const store = at.open();
  const nodes = texts(3);
  const [first, ...others] = nodes;
  if (first === undefined) return;
  await publishAll(store, [first]);
  // A folder where the first file belongs, then none.
  mkdirSync(join(dir, `${first.hash}.txt`), { recursive: true });
  expect(await store.flush()).toMatchObject({ code: "CAS_CORRUPT" });
  rmdirSync(join(dir, `${first.hash}.txt`));
  await publishAll(store, others);
  expect(await store.flush()).toBe(null);
  expect([await rows(), files()]).toEqual([[], hashesOf(nodes)]);
});

test("a damaged row stays where it is, and the others are written out", async () => {
  const store = at.open();
  const nodes = texts(3);
  const [bad] = nodes;
  await publishAll(store, nodes);
  await damage(bad?.hash ?? "", Buffer.from("rot"));
  expect(await store.flush()).toBe(null);
  expect([await rows(), files()]).toEqual([[bad?.hash], hashesOf(nodes.slice(1))]);
  await expect(store.get(bad?.hash ?? "")).rejects.toMatchObject({
    failure: { code: "CAS_CORRUPT" },
  });
});

test("a root that is packed meanwhile loses nothing to its writer", async () => {
  const store = at.open();
  const nodes = texts(90);
  await publishAll(store, nodes);
  await Promise.all([store.flush(), store.move("packed"), at.open().move("packed")]);
  expect(await store.list()).toEqual(hashesOf(nodes));
  for (const { hash, text } of nodes) expect(await store.get(hash)).toBe(text);
});

test("the next owner of a thread writes out the steps that are rows, back from its head", async () => {
  const store = at.open();
  const steps = sampleSteps(4);
  const other = encodeContent("of another thread");
  for (const [n, { content, state }] of steps.entries()) {
    await store.publish([content, state], await at.moveTo(state));
    if (n === 1) expect(await store.flush()).toBe(null);
  }
  await store.publish([other], await at.moveTo(other));
  const left = steps.slice(2).flatMap(({ content, state }) => [content.hash, state.hash]);
  expect(await rows()).toEqual([...left, other.hash].sort());
  const next = at.open();
  await next.recover(steps.at(-1)?.state.hash ?? "");
  expect(await next.flush()).toBe(null);
  expect(await rows()).toEqual([other.hash]);
});

test("a damaged row ends the search for those that were left", async () => {
  const store = at.open();
  const steps = sampleSteps(3);
  for (const { content, state } of steps)
    await store.publish([content, state], await at.moveTo(state));
  const [first, second, last] = steps;
  await damage(second?.state.hash ?? "", Buffer.from("rot"));
  const next = at.open();
  await next.recover(last?.state.hash ?? "");
  expect(await next.flush()).toBe(null);
  const stay = [first?.content.hash, first?.state.hash, second?.content.hash, second?.state.hash];
  expect(await rows()).toEqual(stay.sort());
});

test("a row that is read just before it would go is not lost, and goes after all", async () => {
  const { blobs } = at.index;
  const [node] = texts(1);
  if (node === undefined) return;
  let reads = 0;
  const table: BlobTable = {
    ...blobs,
    purge: async (hashes, untilMs) => {
      // The row is quarantined; a reader in another process restores it, once.
      reads += 1;
      if (reads === 1) await blobs.restore([node.hash]);
      return blobs.purge(hashes, untilMs);
    },
  };
  const store = at.open({ table });
  await publishAll(store, [node]);
  expect(await store.flush()).toBe(null);
  expect([reads, await rows(), files()]).toEqual([2, [], [node.hash]]);
});

function sampleSteps(count: number): { content: EncodedNode; state: EncodedNode }[] {
  const steps: { content: EncodedNode; state: EncodedNode }[] = [];
  for (const content of texts(count, "said")) {
    const parent = steps.at(-1)?.state.hash;
    const payload = {
      role: "coder",
      meta: {},
      start: START,
      content: content.hash,
      ancestors: parent === undefined ? [] : [parent],
      compact: null,
      timestamp: 1,
      childThread: null,
      digests: {},
      route: null,
    };
    steps.push({
      content,
      state: encodeState(payload, [content.hash, START, ...payload.ancestors]),
    });
  }
  return steps;
}
