/** Cost of the files store, compared with the bare flushes that its guarantees require.
 *  `pnpm --filter @uncaged/workflow-cas bench`; prints tables, asserts nothing. */
import {
  closeSync,
  fsync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { encodeContent, memoryBlobTable, openFilesStore, openRootStore } from "../dist/index.js";

const flush = promisify(fsync);
const root = mkdtempSync(join(tmpdir(), "cas-bench-"));

try {
  await putAndGet();
  await batchOfTwo();
  await collection();
} finally {
  rmSync(root, { recursive: true });
}

/** A put flushes one file and its folder; a get re-hashes what it reads. */
async function putAndGet() {
  const rows = [];
  for (const [size, rounds] of [
    [1_500, 300],
    [100_000, 200],
    [2_000_000, 20],
  ]) {
    const store = openFilesStore(join(root, `size-${size}`));
    const texts = Array.from({ length: rounds }, (_, i) => `${i} `.padEnd(size, "x"));
    const hashes = [];
    const put = await perRound(rounds, async (i) => hashes.push(await store.put(texts[i])));
    const get = await perRound(rounds, (i) => store.get(hashes[i]));
    const again = await perRound(rounds, (i) => store.put(texts[i]));
    rows.push({ "bytes a blob": size, "put µs": put, "put again µs": again, "get µs": get });
  }
  console.log("\none blob");
  console.table(rows);
}

/** The blobs of one step, interleaved with the bare flushes so that both see the same disk. */
async function batchOfTwo() {
  const rounds = 500;
  const bare = join(root, "bare");
  mkdirSync(bare);
  const store = openFilesStore(join(root, "batch"));
  const bytes = Buffer.alloc(1_500, "x");
  const times = { bare: [], store: [] };
  for (let i = 0; i < rounds; i++) {
    times.bare.push(await timed(() => bareFlushes(bare, [`${i}-a`, `${i}-b`], bytes)));
    const nodes = ["a", "b"].map((name) => encodeContent(`${i}-${name} `.padEnd(1_450, "x")));
    times.store.push(await timed(() => store.putBatch(nodes)));
  }
  const [flushes, batch] = [median(times.bare), median(times.store)];
  console.log("\ndurable batch of two blobs, median of", rounds);
  console.table([
    { what: "two new files and their folder, flushed", µs: round(flushes), ratio: 1 },
    { what: "putBatch", µs: round(batch), ratio: round(batch / flushes, 2) },
  ]);
}

async function bareFlushes(folder, names, bytes) {
  const fds = names.map((name) => openSync(join(folder, name), "wx"));
  for (const fd of fds) writeSync(fd, bytes);
  await Promise.all(fds.map((fd) => flush(fd)));
  fds.forEach(closeSync);
  const fd = openSync(folder, "r");
  await flush(fd);
  closeSync(fd);
}

/** 100,000 blobs, half of them dead, compared with a bare sweep: read the live half, move the dead half. */
async function collection() {
  const count = 100_000;
  const folder = join(root, "gc");
  const { head, live, dead } = litter(folder, count);
  const threads = {
    roots: async () => [{ threadId: "one", startHash: head, head, headSha256: "" }],
    list: async () => [],
    history: async () => ({ ended: [], lastRemovalAt: 0 }),
  };
  const store = openRootStore({ dir: folder, table: memoryBlobTable(), threads, kind: "files" });
  const collect = (graceMs) => store.collect({ nowMs: Date.now(), graceMs, dryRun: false });
  const aside = join(root, "swept");
  mkdirSync(aside);
  const sweep = await timed(async () => {
    for (const hash of dead) renameSync(join(folder, `${hash}.txt`), join(aside, `${hash}.txt`));
  });
  for (const hash of dead) renameSync(join(aside, `${hash}.txt`), join(folder, `${hash}.txt`));
  const first = await timed(() => collect(0));
  const second = await timed(() => collect(0));
  const check = await timed(() => store.check([head]));
  console.log(`\ncollection of ${count} blobs, ${dead.length} of them dead, ${live} live`);
  console.table([
    { what: "bare renames of the dead", ms: round(sweep / 1000) },
    { what: "gc: mark, set the dead aside", ms: round(first / 1000) },
    { what: "gc a grace period later: mark, delete for good", ms: round(second / 1000) },
    { what: "fsck of the live half", ms: round(check / 1000) },
  ]);
}

/** Half of the blobs hang on one head, in a chain with eight skip refs each, of 1.5 KB each. */
function litter(folder, count) {
  mkdirSync(folder);
  const filler = "x".repeat(1_300);
  const chain = [];
  const dead = [];
  for (let i = 0; i < count / 2; i++) {
    const live = encodeContent(`live ${i} ${filler}`, chain.slice(-8));
    chain.push(live.hash);
    const lost = encodeContent(`dead ${i} ${filler}`);
    dead.push(lost.hash);
    for (const node of [live, lost]) writeFileSync(join(folder, `${node.hash}.txt`), node.text);
  }
  return { head: chain.at(-1), live: chain.length, dead };
}

async function perRound(rounds, deed) {
  const times = [];
  for (let i = 0; i < rounds; i++) times.push(await timed(() => deed(i)));
  return round(median(times));
}

/** Microseconds. */
async function timed(deed) {
  const from = process.hrtime.bigint();
  await deed();
  return Number(process.hrtime.bigint() - from) / 1000;
}

function median(times) {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

function round(value, digits = 0) {
  return Number(value.toFixed(digits));
}
