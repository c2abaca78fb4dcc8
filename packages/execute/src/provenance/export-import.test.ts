import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeContent, encodeStart, hashBytes } from "@uncaged/workflow-cas";
import type { EncodedNode, Failure, Result } from "@uncaged/workflow-protocol";
import { bundleFiles } from "@uncaged/workflow-register";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyThread } from "../verify/verify-thread.ts";
import { blobEntry, bundleEntries, INDEX_ENTRY } from "./export-layout.ts";
import { exportThread } from "./export-thread.ts";
import { type Forgery, forgeExport } from "./forged-export.test.helper.ts";
import { type ImportedThread, importThread } from "./import-thread.ts";
import {
  BUNDLE,
  emptyRoot,
  type SampleRoot,
  STEPS,
  sampleRoot,
  THREAD_ID,
} from "./sample-root.test.helper.ts";
import { verifyExport } from "./verify-against.ts";

const { code: CODE_ENTRY, descriptor: DESCRIPTOR_ENTRY } = bundleEntries(BUNDLE.hash);
const PLANTED = encodeStart(
  { name: "x", hash: BUNDLE.hash, depth: 0, parentState: null, externals: {}, digests: {} },
  [BUNDLE.hash],
);

let dir = "";
let here: Awaited<ReturnType<typeof sampleRoot>>;
let there: SampleRoot;
let file = "";
let forged = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "export-"));
  here = await sampleRoot(join(dir, "here"));
  there = await emptyRoot(join(dir, "there"));
  file = join(dir, "thread.tar");
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function exported(): Promise<Buffer> {
  const written = await exportThread(here.engine, here.thread, { file, withFiles: false });
  if (!written.ok) throw new Error(written.error.message);
  return readFile(file);
}

function imported(from: string = file): Promise<Result<ImportedThread, Failure>> {
  return importThread(there.engine, { file: from, checkRule: () => null, into: null });
}

async function isUntouched(): Promise<void> {
  expect(there.blobs.size).toBe(0);
  expect(await there.engine.store.list({})).toEqual([]);
  await expect(stat(join(dir, "there"))).rejects.toThrow("ENOENT");
}

describe("an export", () => {
  it("is imported completely: the thread exists, can be proved, and exports to the same bytes", async () => {
    const bytes = await exported();
    expect(await imported()).toEqual({
      ok: true,
      value: { threadId: THREAD_ID, threads: [THREAD_ID], imported: [THREAD_ID], nodes: 8 },
    });
    expect(there.blobs).toEqual(here.blobs);
    const thread = await there.engine.store.get(THREAD_ID);
    if (thread === null) throw new Error("it is not there");
    expect(await verifyThread(there.engine, thread)).toMatchObject({ ok: true, checked: 8 });
    const again = join(dir, "again.tar");
    await exportThread(there.engine, thread, { file: again, withFiles: false });
    expect(await readFile(again)).toEqual(bytes);
  });

  it("is imported a second time without effect", async () => {
    await exported();
    await imported();
    const before = await there.engine.store.get(THREAD_ID);
    expect(await imported()).toMatchObject({ ok: true, value: { imported: [] } });
    expect(await there.engine.store.get(THREAD_ID)).toEqual(before);
  });

  it("is for its owner's eyes, and takes no other file's place", async () => {
    await exported();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await exportThread(here.engine, here.thread, { file, withFiles: false })).toMatchObject({
      error: { code: "TARGET_EXISTS" },
    });
  });

  it("is not made of a thread that cannot be proved, and leaves no file", async () => {
    const thread = { ...here.thread, stepCount: 7 };
    expect(await exportThread(here.engine, thread, { file, withFiles: false })).toMatchObject({
      error: { message: expect.stringContaining("cannot be proved and is not exported") },
    });
    await expect(stat(file)).rejects.toThrow("ENOENT");
  });

  it("is proved where it lies, without an import", async () => {
    await exported();
    expect(await verifyExport(file, THREAD_ID.slice(-4), null)).toMatchObject({
      ok: true,
      value: { ok: true, checked: 8 },
    });
    expect(await verifyExport(file, "ZZZZ", null)).toMatchObject({
      error: { code: "THREAD_NOT_FOUND" },
    });
    await isUntouched();
  });

  it("is refused wherever it was cut short, or something put behind it", async () => {
    const whole = await exported();
    for (let length = 0; length < whole.length; length += 97) {
      await writeFile(file, whole.subarray(0, length));
      expect(await imported(), `${length} bytes`).toMatchObject({
        error: { code: "EXPORT_INVALID" },
      });
    }
    for (const more of ["\0", "\0".repeat(512), "x".repeat(512)]) {
      await writeFile(file, Buffer.concat([whole, Buffer.from(more)]));
      expect(await imported()).toMatchObject({ error: { code: "EXPORT_INVALID" } });
    }
    await isUntouched();
  });

  it.each([
    ["there is none", "no.tar", "FILE_NOT_FOUND"],
    ["it is a folder", ".", "EXPORT_INVALID"],
  ])("is refused when %s", async (_name, name, code) => {
    expect(await imported(join(dir, name))).toMatchObject({ error: { code } });
  });
});

describe("an import into a root that has threads", () => {
  it("is refused when the existing thread differs, and changes nothing", async () => {
    await exported();
    const other = await sampleRoot(join(dir, "there"), STEPS);
    there = other;
    const blobs = new Map(other.blobs);
    expect(await imported()).toMatchObject({ error: { code: "TARGET_EXISTS" } });
    expect(other.blobs).toEqual(blobs);
    expect(await other.engine.store.get(THREAD_ID)).toEqual(other.thread);
  });

  it("is refused when another content has the hash of one of its nodes, and shows no thread", async () => {
    await exported();
    const [hash = ""] = here.blobs.keys();
    const cas = there.engine.cas;
    const refusing = {
      ...cas,
      putBatch: async (nodes: Parameters<typeof cas.putBatch>[0]) => {
        if (nodes.some((node) => node.hash === hash)) throw new Error("CAS_COLLISION");
        await cas.putBatch(nodes);
      },
    };
    const engine = { ...there.engine, cas: refusing };
    await expect(importThread(engine, { file, checkRule: () => null, into: null })).rejects.toThrow(
      "COLLISION",
    );
    expect(await there.engine.store.list({})).toEqual([]);
  });

  it("succeeds when another import of the same is first at the last moment", async () => {
    await exported();
    const { store } = there.engine;
    let late = false;
    const beaten = {
      ...store,
      adopt: async (threads: Parameters<typeof store.adopt>[0]) => {
        if (!late) await store.adopt(threads);
        late = true;
        await store.adopt(threads);
      },
    };
    const engine = { ...there.engine, store: beaten };
    expect(await importThread(engine, { file, checkRule: () => null, into: null })).toMatchObject({
      value: { threadId: THREAD_ID, imported: [] },
    });
  });

  it("keeps an existing bundle, and accepts no other descriptor for it", async () => {
    await exported();
    there = await sampleRoot(join(dir, "there"), STEPS);
    await there.engine.store.remove({ threadId: THREAD_ID, replaces: null, nowMs: 1 });
    const files = bundleFiles(join(dir, "there"), BUNDLE.hash);
    const before = await stat(files.bundle);
    expect(await imported()).toMatchObject({ ok: true });
    expect((await stat(files.bundle)).ino).toBe(before.ino);
    await there.engine.store.remove({ threadId: THREAD_ID, replaces: null, nowMs: 1 });
    await forge(edit(DESCRIPTOR_ENTRY, (text) => text.replace('"s"', '"t"')));
    expect(await imported(forged)).toMatchObject({ error: { code: "BUNDLE_DESCRIPTOR_MISMATCH" } });
  });
});

/** Forged exports with valid checksums, made by somebody who knows the format. */
describe("a forged export is refused, and nothing stored,", () => {
  beforeEach(exported);

  it.each<[string, Forgery, RegExp]>([
    [
      "with a descriptor that is not the bundle's own",
      edit(DESCRIPTOR_ENTRY, (text) => text.replace('"s"', '"t"')),
      /descriptor/,
    ],
    ["with another bundle", edit(CODE_ENTRY, (text) => `${text}//`), /bytes are not the ones/],
    ["with a node more", add(encodeContent("planted")), /does not reach/],
    ["with a start node more", add(PLANTED), /does not reach/],
    [
      "with a node less",
      (entries) => {
        const name = [...entries.keys()].find((each) => each.startsWith("cas/"));
        entries.delete(name ?? "");
      },
      /CAS_MISSING|is named by/,
    ],
    [
      "with an entry that leads out of it",
      (entries) => entries.set("../../evil.txt", ""),
      /not those of an export/,
    ],
    [
      "with an entry beside the bundle",
      (entries) => entries.set(`bundles/${BUNDLE.hash}/evil.js`, ""),
      /not those of an export/,
    ],
    [
      "with a thread id that is none",
      index(`"threadId":"${THREAD_ID}"`, `"threadId":"../../x"`),
      /threadId/,
    ],
    [
      "with a head that it does not hold",
      index(/"head":"\w+"/, `"head":"EYHPV6X8XHTCS"`),
      /MISSING/,
    ],
    [
      "that claims to go on",
      edit(INDEX_ENTRY, (text) =>
        text
          .replace('"completed"', '"idle"')
          .replace('"returnCode":0', '"returnCode":null')
          .replace('"summary":"done"', '"summary":null'),
      ),
      /INDEX_MISMATCH/,
    ],
    ["that goes on, with a return code", index('"completed"', '"idle"'), /does not fit its status/],
    ["that ended without a summary", index('"summary":"done"', '"summary":null'), /not fit its/],
    [
      "that ended and has an answer",
      index('"answer":null', '"answer":{"role":"coder","text":"yes"}'),
      /does not fit its status/,
    ],
    ["that waits and asks nothing", index('"completed"', '"suspended"'), /does not fit its status/],
    ["that says that somebody runs it", index('"completed"', '"running"'), /status/],
    [
      "started at a time that no calendar has",
      index(/"startedAt":\d+/, '"startedAt":9007199254740991'),
      /startedAt/,
    ],
    [
      "changed at a time that no calendar has",
      index(/"updatedAt":\d+/, '"updatedAt":253402300800000'),
      /updatedAt/,
    ],
    ["in a directory that is half a character", index('"cwd":"/"', '"cwd":"/\\ud800"'), /cwd/],
    ["of an agent that no name can be", index('"agent":null', '"agent":"../x"'), /agent/],
    ["with a word more", index('"cwd"', '"a":1,"cwd"'), /Unrecognized key/],
    ["with other spaces", index(":", ": "), /not written as/],
    ["with a thread twice", index(/"threads":\[(.*)\]/, '"threads":[$1,$1]'), /does not list/],
    [
      "with a parent that is not in it",
      index('"parentThread":null', `"parentThread":"${THREAD_ID}"`),
      /is not a child/,
    ],
    [
      "with a node under another's name",
      (entries) => entries.set("cas/EYHPV6X8XHTCS.txt", "not empty"),
      /does not have the hash/,
    ],
    [
      "with a node that is spelled otherwise",
      add(respelled()),
      /not in the canonical form of a node/,
    ],
    ["with a blob that is no node", add(named("no node")), /not a node/],
  ])("%s", async (_name, forgery, message) => {
    await forge(forgery);
    const refusal = await imported(forged);
    expect(refusal).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(message) },
    });
    await isUntouched();
  });
});

async function forge(forgery: Forgery): Promise<void> {
  forged = join(dir, "forged.tar");
  await forgeExport(file, forged, forgery);
}

function edit(name: string, change: (text: string) => string): Forgery {
  return (entries) => entries.set(name, change(entries.get(name) ?? ""));
}

function index(from: string | RegExp, to: string): Forgery {
  return edit(INDEX_ENTRY, (text) => text.replace(from, to));
}

function add({ hash, text }: Pick<EncodedNode, "hash" | "text">): Forgery {
  return (entries) => entries.set(blobEntry(hash), text);
}

function named(text: string): Pick<EncodedNode, "hash" | "text"> {
  return { hash: hashBytes(text), text };
}

function respelled(): Pick<EncodedNode, "hash" | "text"> {
  return named(encodeContent("planted").text.replace("refs: ", "refs:  "));
}
