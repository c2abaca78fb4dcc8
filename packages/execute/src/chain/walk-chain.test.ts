import { encodeContent, encodeStart, encodeState, openMemoryStore } from "@uncaged/workflow-cas";
import { type EncodedNode, failureFrom } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { skipList } from "./chain-cursor.ts";
import type { NodeReader } from "./read-node.ts";
import { walkChain } from "./walk-chain.ts";

const LONGEST = 3_000;
const prompt = encodeContent("go on");
const start = encodeStart(
  {
    name: "long",
    hash: "EYHPV6X8XHTCS",
    depth: 0,
    parentState: null,
    externals: {},
    digests: { [prompt.hash]: prompt.sha256 },
  },
  [prompt.hash],
);

/** Oldest first. */
const hashes: string[] = [];
const texts = new Map<string, string>();
beforeAll(() => {
  for (let step = 0; step < LONGEST; step += 1) {
    const state = stateAfter(hashes, { step, start: start.hash });
    hashes.push(state.hash);
    texts.set(state.hash, state.text);
  }
});

function stateAfter(before: readonly string[], of: { step: number; start: string }): EncodedNode {
  const ancestors = skipList(before);
  const payload = { role: "coder", meta: { step: of.step }, start: of.start, content: prompt.hash };
  return encodeState(
    {
      ...payload,
      ancestors,
      compact: null,
      timestamp: 1,
      childThread: null,
      digests: {},
      route: null,
    },
    [prompt.hash, of.start, ...ancestors],
  );
}

/** A store that counts its reads and does not have some of the blobs at hand. */
function reader(notAtHand: ReadonlySet<string> = new Set()): { cas: NodeReader; reads: number[] } {
  const memory = openMemoryStore(texts);
  const reads: number[] = [];
  return {
    reads,
    cas: {
      get: async (hash) => {
        reads.push(1);
        return memory.get(hash);
      },
      getMany: async (many) => {
        reads.push(many.length);
        return memory.getMany(many.filter((hash) => !notAtHand.has(hash)));
      },
    },
  };
}

async function walked(cas: NodeReader, head: string, most = LONGEST): Promise<string[]> {
  const found: string[] = [];
  for await (const { hash } of walkChain(cas, { startHash: start.hash, head })) {
    found.push(hash);
    if (found.length === most) break;
  }
  return found;
}

test("a chain is walked from its head to its start, even if reading ahead fails", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: LONGEST }),
      fc.array(fc.nat({ max: LONGEST - 1 })),
      async (length, left) => {
        const notAtHand = new Set(left.map((at) => hashes[at] ?? ""));
        const head = hashes[length - 1] ?? start.hash;
        const expected = hashes.slice(0, length).reverse();
        expect(await walked(reader(notAtHand).cas, head)).toEqual(expected);
      },
    ),
    { numRuns: 20 },
  );
});

test("no state is read twice, and thousands of them in some dozens of readings", async () => {
  const { cas, reads } = reader();
  await walked(cas, hashes.at(-1) ?? "");
  expect(reads.reduce((sum, count) => sum + count, 0)).toBe(LONGEST);
  expect(reads.length).toBeLessThan(80);
});

test("who stops near the head has read few states", async () => {
  const { cas, reads } = reader();
  await walked(cas, hashes.at(-1) ?? "", 3);
  expect(reads.reduce((sum, count) => sum + count, 0)).toBe(16);
});

test("a missing state is reported when the walk reaches it, not before", async () => {
  const [head = "", parent = "", gone = ""] = hashes.slice(-3).reverse();
  const memory = openMemoryStore(new Map([...texts].filter(([hash]) => hash !== gone)));
  const found: string[] = [];
  const walk = async (): Promise<void> => {
    for await (const { hash } of walkChain(memory, { startHash: start.hash, head }))
      found.push(hash);
  };
  const thrown = await walk().catch((cause: unknown) => failureFrom(cause, "INTERNAL"));
  expect(thrown).toMatchObject({ code: "CAS_MISSING", message: expect.stringContaining(gone) });
  expect(found).toEqual([head, parent]);
});

test("a state that belongs to another start breaks the chain", async () => {
  const foreign = stateAfter([], { step: 0, start: prompt.hash });
  const memory = openMemoryStore(new Map([[foreign.hash, foreign.text]]));
  const walk = async (): Promise<void> => {
    for await (const { hash } of walkChain(memory, { startHash: start.hash, head: foreign.hash }))
      throw new Error(`came to ${hash}`);
  };
  const thrown = await walk().catch((cause: unknown) => failureFrom(cause, "INTERNAL"));
  expect(thrown).toMatchObject({ code: "CHAIN_BROKEN" });
});

test("a skip list that leads astray changes nothing: the walk goes from parent to parent", async () => {
  const chain: string[] = [];
  const blobs = new Map(texts);
  for (let step = 0; step < 40; step += 1) {
    const [parent] = chain.slice(-1);
    // Beyond the parent it names states of another chain.
    const before = parent === undefined ? [] : [...hashes.slice(100, 900), parent];
    const state = stateAfter(before, { step: LONGEST + step, start: start.hash });
    chain.push(state.hash);
    blobs.set(state.hash, state.text);
  }
  expect(await walked(openMemoryStore(blobs), chain.at(-1) ?? "")).toEqual(chain.toReversed());
});
