import assert from "node:assert/strict";
import type { NodeStore } from "@uncaged/workflow-protocol";
import { decodeNode, encodeContent, encodeStart, encodeState } from "../node/codec.ts";
import { hashBytes } from "../node/hash.ts";
import { collidingTexts } from "./collision-pair.ts";
import { failsWith } from "./fails-with.ts";

/** A backend as the suite needs it: an empty store, and direct access to its storage. */
export type NodeStoreHarness = {
  store: NodeStore;
  /** Replaces the stored bytes of a blob, as a failing disk would. */
  damage(hash: string, bytes: Buffer): Promise<void>;
};

/** One promise of the port. `run` rejects when the harness's store breaks it. */
export type NodeStoreCase = {
  /** A sentence about behaviour. */
  name: string;
  /** Needs a fresh harness each time. */
  run(harness: NodeStoreHarness): Promise<void>;
};

/** Every backend runs all of them: `for (const c of nodeStoreCases) test(c.name, () => c.run(h()))`. */
export const nodeStoreCases: readonly NodeStoreCase[] = [
  {
    name: "returns a text exactly as it was put, inside a content node",
    async run({ store }) {
      for (const text of AWKWARD_TEXTS) {
        const node = contentOf(await store.get(await store.put(text)));
        assert.equal(node.payload, text);
        assert.deepEqual(node.refs, []);
      }
    },
  },
  {
    name: "names a blob by the hash of its own bytes",
    async run({ store }) {
      const hash = await store.put("named");
      assert.equal(hashBytes((await store.get(hash)) ?? ""), hash);
      assert.equal(hash, encodeContent("named").hash);
    },
  },
  {
    name: "returns null for a hash that it does not have",
    async run({ store }) {
      assert.equal(await store.get(hashBytes("never put")), null);
    },
  },
  {
    name: "putting the same text again has no effect",
    async run({ store }) {
      const first = await store.put("again");
      assert.equal(await store.put("again"), first);
      assert.deepEqual(await store.list(), [first]);
    },
  },
  {
    name: "the same text put many times at once is one blob",
    async run({ store }) {
      const hashes = await Promise.all(Array.from({ length: 20 }, () => store.put("at once")));
      assert.deepEqual(await store.list(), [...new Set(hashes)]);
    },
  },
  {
    name: "makes a content node even of a text that looks like a state node",
    async run({ store }) {
      const { state } = smallThread();
      const hash = await store.put(state.text);
      assert.notEqual(hash, state.hash);
      assert.equal(contentOf(await store.get(hash)).payload, state.text);
      assert.equal(await store.get(state.hash), null);
    },
  },
  {
    name: "stores a batch of typed nodes under their own names",
    async run({ store }) {
      const { prompt, start, content, state } = smallThread();
      const nodes = [prompt, start, content, state];
      await store.putBatch(nodes);
      for (const node of nodes) assert.equal(await store.get(node.hash), node.text);
      assert.deepEqual(await store.list(), nodes.map((node) => node.hash).sort());
    },
  },
  {
    name: "takes an empty batch, a repeated node and a batch that is stored already",
    async run({ store }) {
      await store.putBatch([]);
      const node = encodeContent("twice");
      await store.putBatch([node, node]);
      await store.putBatch([node]);
      assert.deepEqual(await store.list(), [node.hash]);
    },
  },
  {
    name: "takes a batch of a thousand",
    async run({ store }) {
      const nodes = Array.from({ length: 1000 }, (_, i) => encodeContent(`blob ${i}`));
      await store.putBatch(nodes);
      assert.deepEqual(await store.list(), nodes.map((node) => node.hash).sort());
    },
  },
  {
    name: "refuses different content under a taken hash, and keeps the first",
    async run({ store }) {
      const [first, second] = collidingTexts;
      const hash = await store.put(first);
      assert.equal(encodeContent(second).hash, hash);
      await failsWith("CAS_COLLISION", store.put(second));
      assert.equal(contentOf(await store.get(hash)).payload, first);
    },
  },
  {
    name: "refuses a whole batch for one collision in it",
    async run({ store }) {
      const [first, second] = collidingTexts.map((text) => encodeContent(text));
      assert.ok(first && second);
      const bystander = encodeContent("bystander");
      await failsWith("CAS_COLLISION", store.putBatch([bystander, first, second]));
      assert.deepEqual(await store.list(), []);
      await store.putBatch([first]);
      await failsWith("CAS_COLLISION", store.putBatch([bystander, second]));
      assert.deepEqual(await store.list(), [first.hash]);
    },
  },
  {
    name: "refuses a node that does not carry its own hash",
    async run({ store }) {
      const node = { ...encodeContent("honest"), hash: hashBytes("other") };
      await failsWith("CAS_CORRUPT", store.putBatch([node]));
      assert.deepEqual(await store.list(), []);
    },
  },
  {
    name: "never returns damaged bytes as data",
    async run({ store, damage }) {
      for (const [what, spoil] of Object.entries(DAMAGES)) {
        const { hash, text } = encodeContent(`to be damaged: ${what}`);
        await store.put(`to be damaged: ${what}`);
        await damage(hash, spoil(Buffer.from(text)));
        await failsWith("CAS_CORRUPT", store.get(hash));
      }
    },
  },
  {
    name: "returns many at once, and leaves out what is missing or damaged",
    async run({ store, damage }) {
      const many = Array.from({ length: 300 }, (_, i) => encodeContent(`one of many: ${i}`));
      await store.putBatch(many);
      const [rotten, ...sound] = many.map(({ hash }) => hash);
      await damage(rotten ?? "", Buffer.from("rot"));
      const hashes = many.map(({ hash }) => hash);
      const found = await store.getMany([hashBytes("never put"), ...hashes, ...hashes]);
      assert.deepEqual([...found.keys()].sort(), sound.sort());
      for (const { hash, text } of many.slice(1)) assert.equal(found.get(hash), text);
      assert.equal((await store.getMany([])).size, 0);
    },
  },
  {
    name: "repairs a damaged blob when its true text is put again",
    async run({ store, damage }) {
      const hash = await store.put("mended");
      await damage(hash, Buffer.from("rot"));
      assert.equal(await store.put("mended"), hash);
      assert.equal(contentOf(await store.get(hash)).payload, "mended");
    },
  },
  {
    name: "forgets what is deleted, and deleting a missing blob has no effect",
    async run({ store }) {
      const [kept, gone] = [await store.put("kept"), await store.put("gone")];
      await store.delete(gone);
      await store.delete(gone);
      assert.equal(await store.get(gone), null);
      assert.deepEqual(await store.list(), [kept]);
      assert.equal(await store.put("gone"), gone);
      assert.notEqual(await store.get(gone), null);
    },
  },
  {
    name: "lists nothing at first, and then every hash once, in order",
    async run({ store }) {
      assert.deepEqual(await store.list(), []);
      const hashes = await Promise.all(["a", "b", "c", "d"].map((text) => store.put(text)));
      assert.deepEqual(await store.list(), hashes.sort());
    },
  },
  {
    name: "refuses what is not a hash before it becomes a path or a key",
    async run({ store }) {
      for (const hash of [
        "",
        "..",
        "../../etc/passwd",
        "__proto__",
        "eyhpv6x8xhtcs",
        "G000000000000",
      ]) {
        await failsWith("USAGE", store.get(hash));
        await failsWith("USAGE", store.delete(hash));
        await failsWith("USAGE", store.getMany([hash]));
      }
    },
  },
];

const AWKWARD_TEXTS = [
  "",
  "\n",
  "plain",
  "line one\nline two\r\nline three\ttab",
  "NUL \0 and DEL \u007f and NEL \u0085",
  "breaks \u2028 \u2029, marks \ufeff \ufffe \uffff",
  "a lone \ud800 surrogate and \udc00 another",
  "日本語 😀 e\u0301 \u202e right to left",
  "--- !!js/function > 'not YAML' &anchor *alias",
  '{"type":"state","__proto__":{"polluted":true}}',
  "x".repeat(2_000_000),
];

const DAMAGES: { readonly [what: string]: (bytes: Buffer) => Buffer } = {
  "a flipped bit": (bytes) => Buffer.from(bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte))),
  "the end cut off": (bytes) => bytes.subarray(0, -5),
  "nothing left": () => Buffer.alloc(0),
  "zeros in its place": (bytes) => Buffer.alloc(bytes.length),
  "another blob in its place": () => Buffer.from(encodeContent("another").text),
  "bytes that are not UTF-8": (bytes) => Buffer.concat([bytes, Buffer.from([0xff])]),
};

function contentOf(text: string | null): { payload: string; refs: readonly string[] } {
  const node = decodeNode(text ?? "");
  assert.ok(node.ok && node.value.type === "content", `not a content node: ${text?.slice(0, 80)}`);
  return node.value;
}

/** A thread of one step. */
function smallThread() {
  const prompt = encodeContent("Fix the bug.");
  const bundle = hashBytes("bundle");
  const start = encodeStart(
    {
      name: "solve",
      hash: bundle,
      depth: 0,
      parentState: null,
      externals: {},
      digests: { [prompt.hash]: prompt.sha256 },
    },
    [prompt.hash],
  );
  const content = encodeContent("Fixed it.");
  const state = encodeState(
    {
      role: "coder",
      meta: { status: "done" },
      start: start.hash,
      content: content.hash,
      ancestors: [],
      compact: null,
      timestamp: 1_716_000_000_000,
      childThread: null,
      digests: { [content.hash]: content.sha256, [start.hash]: start.sha256 },
      route: null,
    },
    [content.hash, start.hash],
  );
  return { prompt, start, content, state };
}
