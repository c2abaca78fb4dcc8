/** Putting and getting blobs: ours in files and in rows, `git hash-object -w` and cacache.
 *
 *  1. Every blob is new, of random letters, so that nobody gains by compressing or by knowing it.
 *  2. Ours flushes each put before it says so, and hashes each get again. Git flushes when it is told to
 *     (`core.fsync=loose-object`); it is measured as shipped, too. cacache never does.
 *  3. Git puts, and gets, all blobs of a round in one process, so its start counts once for all of them.
 *  4. A figure is a round's time for each blob; medians of the rounds are printed. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import cacache from "cacache";
import { median } from "../parts/median.mjs";
import { ms } from "../parts/print-table.mjs";
import { openSteadyEngine } from "../parts/steady-engine.mjs";
import { printColumns } from "./print-columns.mjs";
import { versionOf } from "./version-of.mjs";

const ROUNDS = 5;
const SIZES = [
  { name: "1 KiB", bytes: 1_024, count: 100 },
  { name: "64 KiB", bytes: 65_536, count: 40 },
  { name: "1 MiB", bytes: 1_048_576, count: 10 },
];

/** Prints the table. `folder` is filled with some hundred megabytes. */
export async function compareBlobs(folder) {
  const stores = {
    "ours, store: files": await oursStore(join(folder, "blobs-files"), "files"),
    "ours, store: packed": await oursStore(join(folder, "blobs-packed"), "packed"),
    [`${gitVersion()}, flushed`]: gitStore(join(folder, "git-flushed"), [
      "core.fsync=loose-object",
    ]),
    [`${gitVersion()}, as shipped (unflushed)`]: gitStore(join(folder, "git"), []),
    [`cacache ${versionOf("cacache")} (unflushed)`]: cacacheStore(join(folder, "cacache")),
  };
  const rows = Object.fromEntries(Object.keys(stores).map((what) => [what, { what }]));
  for (const { name, bytes, count } of SIZES) {
    const times = Object.fromEntries(Object.keys(stores).map((what) => [what, []]));
    for (let round = 0; round < ROUNDS; round += 1) {
      const texts = Array.from({ length: count }, () => textOf(bytes));
      for (const [what, store] of Object.entries(stores))
        times[what].push(await timedRound(store, texts));
    }
    for (const [what, list] of Object.entries(times)) {
      rows[what][`put ${name}`] = ms(median(list.map(({ put }) => put)));
      rows[what][`get ${name}`] = ms(median(list.map(({ get }) => get)));
    }
  }
  for (const store of Object.values(stores)) await store.close?.();
  printColumns(`one blob, median of ${ROUNDS} rounds`, Object.values(rows));
}

async function timedRound(store, texts) {
  const ready = store.prepare?.(texts) ?? texts;
  const startedAt = performance.now();
  const keys = await store.putAll(ready);
  const putAt = performance.now();
  const got = await store.getAll(keys);
  const gotAt = performance.now();
  if (got !== texts.reduce((sum, text) => sum + text.length, 0))
    throw new Error(`${got} bytes came back`);
  return { put: (putAt - startedAt) / texts.length, get: (gotAt - putAt) / texts.length };
}

async function oursStore(folder, store) {
  const engine = await openSteadyEngine(folder, { store });
  return {
    putAll: (texts) => oneByOne(texts, (text) => engine.cas.put(text)),
    // A node's three lines are some bytes more than the text in it.
    getAll: async (hashes) => {
      const nodes = await oneByOne(hashes, (hash) => engine.cas.get(hash));
      return nodes.reduce((sum, node) => sum + textIn(node).length, 0);
    },
    close: () => engine.store.close(),
  };
}

function textIn(node) {
  const [, payload] = node.split("\n");
  return JSON.parse(payload.slice("payload: ".length));
}

function gitStore(folder, settings) {
  mkdirSync(folder);
  const git = (args, input) =>
    execFileSync("git", [...settings.flatMap((word) => ["-c", word]), ...args], {
      cwd: folder,
      input,
      maxBuffer: 64 * 1_048_576,
    });
  git(["init", "--quiet"]);
  return {
    prepare(texts) {
      const paths = texts.map((_, at) => join(folder, `blob-${at}`));
      for (const [at, path] of paths.entries()) writeFileSync(path, texts[at]);
      return paths;
    },
    putAll: (paths) =>
      git(["hash-object", "-w", "--no-filters", "--stdin-paths"], `${paths.join("\n")}\n`)
        .toString()
        .trim()
        .split("\n"),
    getAll(hashes) {
      const output = git(["cat-file", "--batch"], `${hashes.join("\n")}\n`);
      const [head] = output.subarray(0, 100).toString().split("\n");
      // A line before each blob and a line feed after it.
      return output.length - hashes.length * (head.length + 2);
    },
  };
}

function cacacheStore(folder) {
  return {
    putAll: (texts) =>
      oneByOne(texts, async (text) => (await cacache.put(folder, "key", text)).toString()),
    getAll: async (digests) => {
      const blobs = await oneByOne(digests, (digest) => cacache.get.byDigest(folder, digest));
      return blobs.reduce((sum, blob) => sum + blob.length, 0);
    },
  };
}

async function oneByOne(items, deed) {
  const results = [];
  for (const item of items) results.push(await deed(item));
  return results;
}

function textOf(bytes) {
  return randomBytes(bytes).toString("base64").slice(0, bytes);
}

function gitVersion() {
  return execFileSync("git", ["--version"], { encoding: "utf8" })
    .trim()
    .replace("git version", "git");
}
