import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashBytes, sha256Hex } from "@uncaged/workflow-cas";
import {
  type Failure,
  type Result,
  START,
  type ThreadRecord,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import type { ParsedRoleOutput } from "@uncaged/workflow-protocol/schemas";
import { storeBundle } from "@uncaged/workflow-register";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadChain } from "../chain/chain.ts";
import {
  BUNDLE,
  type SampleRoot,
  STEPS,
  sampleRoot,
} from "../provenance/sample-root.test.helper.ts";
import { bundleOf } from "../run/load-run.ts";
import { edge } from "../testing/edge.test.helper.ts";
import { type PokeBasis, pokeBasis } from "./poke-basis.ts";
import { upgradeThread } from "./upgrade-thread.ts";

const role = { description: "", systemPrompt: "", schema: {} };
/** The sample's graph with another rule from the coder to the tester. */
const descriptor: WorkflowDescriptor = {
  description: "v",
  roles: { coder: role, tester: role },
  graph: {
    edges: [
      edge(START, "coder"),
      edge("coder", "tester", { when: "last.meta.left = 0", condition: "done" }),
    ],
  },
};
const bytes = Buffer.from(`export const descriptor=${JSON.stringify(descriptor)};`);
const NEXT = { hash: hashBytes(bytes), sha256: sha256Hex(bytes), bytes, descriptor };

let folder = "";
let made: SampleRoot & { thread: ThreadRecord };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "poke-basis-"));
  await threadOf(STEPS);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A thread of these steps, and the next version of its workflow. */
async function threadOf(steps: readonly ParsedRoleOutput[]): Promise<void> {
  made = await sampleRoot(folder, steps);
  await storeBundle(folder, { ...NEXT, externals: [], rolldown: null, types: null, yaml: null });
  for (const { hash, sha256 } of [BUNDLE, NEXT]) {
    const version = { hash, sha256, timestamp: 1 };
    await made.engine.registry.register({ name: "sample", version });
  }
}

const current = async (): Promise<ThreadRecord> => {
  const thread = await made.engine.store.get(made.thread.threadId);
  if (thread === null) throw new Error("the thread is gone");
  return thread;
};

async function upgrade(to: string): Promise<void> {
  const { signal } = new AbortController();
  const done = await upgradeThread(made.engine, await current(), { to, signal });
  if (!done.ok) throw new Error(done.error.message);
}

async function basis(): Promise<PokeBasis> {
  const thread = await current();
  const chain = await loadChain(made.engine.cas, thread);
  const bundle = await bundleOf(made.engine, thread, chain);
  if (!bundle.ok) throw new Error(bundle.error.message);
  const found: Result<PokeBasis, Failure> = await pokeBasis(made.engine, thread, {
    chain,
    bundle: bundle.value,
  });
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

const roles = ({ chain }: PokeBasis): string[] => chain.states.map(({ node }) => node.payload.role);

describe("the basis of a poke", () => {
  it("is what came before the last step, and the route that led to it", async () => {
    const found = await basis();
    expect(found.step.hash).toBe(made.thread.head);
    expect(roles(found)).toEqual(["coder"]);
    expect(found).toMatchObject({ route: { condition: "FALLBACK", rule: 1 }, upgrade: [] });
  });

  it("has an upgrade that came after the step, and the rule of its table", async () => {
    await upgrade(NEXT.hash);
    const found = await basis();
    expect(found.step.hash).toBe(made.thread.head);
    expect(roles(found)).toEqual(["coder", "__upgrade__"]);
    expect(found.route).toMatchObject({ from: "coder", to: "tester", condition: "done", rule: 0 });
    expect(found.upgrade.map(({ hash }) => hash)).toContain(found.chain.states[1]?.hash);
    expect(found.chain.states[1]?.node.payload).toMatchObject({
      meta: { from: BUNDLE.hash, to: NEXT.hash },
      ancestors: [found.chain.states[0]?.hash],
    });
  });

  it("has none where the thread was brought back to its old version", async () => {
    await upgrade(NEXT.hash);
    await upgrade(BUNDLE.hash);
    const found = await basis();
    expect(roles(found)).toEqual(["coder"]);
    expect(found).toMatchObject({ route: { rule: 1 }, upgrade: [] });
  });

  it("has one where the step was the first of all", async () => {
    await threadOf(STEPS.slice(0, 1));
    await upgrade(NEXT.hash);
    const found = await basis();
    expect(roles(found)).toEqual(["__upgrade__"]);
    expect(found.chain.states[0]?.node.payload.ancestors).toEqual([]);
  });
});
