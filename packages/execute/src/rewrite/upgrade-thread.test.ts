import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeNode, encodeState, hashBytes, sha256Hex } from "@uncaged/workflow-cas";
import {
  type DescriptorEdge,
  END,
  type PersonWait,
  START,
  type StatePayload,
  type ThreadRecord,
  type WorkflowDescriptor,
  waitsOf,
} from "@uncaged/workflow-protocol";
import { storeBundle } from "@uncaged/workflow-register";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acquire } from "../lease/acquire.ts";
import {
  BUNDLE,
  type SampleRoot,
  STEPS,
  sampleRoot,
} from "../provenance/sample-root.test.helper.ts";
import { edge } from "../testing/edge.test.helper.ts";
import { verifyThread } from "../verify/verify-thread.ts";
import { upgradeThread } from "./upgrade-thread.ts";

const AGENT = { description: "", systemPrompt: "", schema: {} };

/** The sample's graph, except that it continues after `tester`; other edges make it another version. */
function version(
  edges: readonly DescriptorEdge[],
  roles: WorkflowDescriptor["roles"] = { coder: AGENT, tester: AGENT },
): {
  hash: string;
  sha256: string;
  bytes: Buffer;
  descriptor: WorkflowDescriptor;
} {
  const descriptor = { description: "v", roles, graph: { edges } };
  const bytes = Buffer.from(`export const descriptor=${JSON.stringify(descriptor)};`);
  return { hash: hashBytes(bytes), sha256: sha256Hex(bytes), bytes, descriptor };
}

const SAME_WAY = version([
  edge(START, "coder"),
  edge("coder", "tester", { when: "last.meta.left = 0", condition: "done" }),
  edge("tester", "coder"),
]);
const ASKING = version(
  [...SAME_WAY.descriptor.graph.edges.slice(0, 2), edge("tester", "boss", { prompt: "Ship it?" })],
  { coder: AGENT, tester: AGENT, boss: { ...AGENT, person: {}, timeoutMs: 500 } },
);
const OTHER_WAY = version([edge(START, "coder"), edge("coder", END), edge("tester", END)]);

let folder = "";
let made: SampleRoot & { thread: ThreadRecord };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "upgrade-"));
  made = await sampleRoot(folder, STEPS);
  for (const each of [SAME_WAY, OTHER_WAY, ASKING])
    await storeBundle(folder, { ...each, externals: [], rolldown: null, types: null, yaml: null });
  for (const { hash, sha256 } of [ASKING, OTHER_WAY, SAME_WAY, BUNDLE]) {
    const version = { hash, sha256, timestamp: 1 };
    await made.engine.registry.register({ name: "sample", version });
  }
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const upgrade = (to: string): ReturnType<typeof upgradeThread> =>
  upgradeThread(made.engine, made.thread, { to, signal: new AbortController().signal });
const current = async (): Promise<ThreadRecord> => {
  const thread = await made.engine.store.get(made.thread.threadId);
  if (thread === null) throw new Error("the thread is gone");
  return thread;
};

describe("an upgrade", () => {
  it("moves head and bundle together and counts no step", async () => {
    const done = await upgrade(SAME_WAY.hash);
    expect(done).toMatchObject({ ok: true, value: { from: BUNDLE.hash, to: SAME_WAY.hash } });
    const thread = await current();
    expect(thread).toMatchObject({ bundleHash: SAME_WAY.hash, stepCount: 2, status: "idle" });
    expect(await verifyThread(made.engine, thread)).toMatchObject({ ok: true, problems: [] });
  });

  it("has a person asked as the new version asks, within its time", async () => {
    const { engine, thread } = made;
    const { threadId } = thread;
    const { fence } = await acquire(engine, threadId, null);
    const wait: PersonWait = {
      ...{ kind: "person", role: "boss", message: "Well?", form: { type: "object" }, since: 7 },
      ...{ deadline: null, assignees: [] },
      route: { from: "tester", to: "boss", condition: "FALLBACK", rule: 0, prompt: "Well?" },
    };
    const to = { status: "suspended", waits: [wait] } as const;
    await engine.store.release({ threadId, fence, nowMs: 1, to });
    made.thread = await current();
    expect(await upgrade(ASKING.hash)).toMatchObject({ ok: true, value: { status: "suspended" } });
    expect(waitsOf(await current())).toMatchObject([
      {
        role: "boss",
        message: "Ship it?",
        form: {},
        since: 7,
        deadline: 507,
        route: { prompt: "Ship it?" },
      },
    ]);
  });

  it("that would have taken another route leaves blobs, head and status unchanged", async () => {
    const before = await current();
    const blobs = made.blobs.size;
    const refused = await upgrade(OTHER_WAY.hash);
    expect(refused).toMatchObject({
      ok: false,
      error: { code: "UPGRADE_REFUSED", message: expect.stringContaining("at round 2 from coder") },
    });
    const { head, headSha256, bundleHash, status, stepCount } = await current();
    expect({ head, headSha256, bundleHash, status, stepCount }).toEqual({
      ...{ head: before.head, headSha256: before.headSha256, bundleHash: before.bundleHash },
      ...{ status: "idle", stepCount: 2 },
    });
    expect(made.blobs.size).toBe(blobs);
  });

  it("whose head cannot be published leaves the thread where it was, and can be tried again", async () => {
    const before = await current();
    const { engine } = made;
    const broken = {
      ...engine,
      cas: { ...engine.cas, publish: async () => Promise.reject(new Error("the disk is full")) },
    };
    const signal = new AbortController().signal;
    const failed = await upgradeThread(broken, before, { to: SAME_WAY.hash, signal });
    expect(failed).toMatchObject({ ok: false });
    expect(await current()).toMatchObject({
      head: before.head,
      bundleHash: BUNDLE.hash,
      status: "idle",
    });
    expect(await upgrade(SAME_WAY.hash)).toMatchObject({ ok: true });
  });
});

describe("the proof of an upgraded thread", () => {
  /** A forged upgrade node, stored under the head and the SHA-256 that match it. */
  async function forged(change: (payload: StatePayload) => StatePayload): Promise<string[]> {
    await upgrade(SAME_WAY.hash);
    const thread = await current();
    const node = decodeNode((await made.engine.cas.get(thread.head)) ?? "");
    if (!node.ok || node.value.type !== "state") throw new Error("no state");
    const state = encodeState(change(node.value.payload), node.value.refs);
    await made.engine.cas.putBatch([state]);
    const record = { ...thread, head: state.hash, headSha256: state.sha256 };
    const { problems } = await verifyThread(made.engine, record);
    return problems.map(({ code }) => code);
  }

  it("finds nothing wrong when nothing is changed", async () => {
    expect(await forged((payload) => payload)).toEqual([]);
  });

  it("finds an upgrade from a version that the thread did not run", async () => {
    const meta = { from: OTHER_WAY.hash, to: SAME_WAY.hash, externals: {} };
    expect(await forged((payload) => ({ ...payload, meta }))).toEqual(["CHAIN_BROKEN"]);
  });

  it("finds one to a version that it does not vouch for", async () => {
    const meta = { from: BUNDLE.hash, to: OTHER_WAY.hash, externals: {} };
    expect(await forged((payload) => ({ ...payload, meta }))).toEqual([
      ...["CHAIN_BROKEN", "BUNDLE_TAMPERED", "DIGEST_MISSING"],
    ]);
  });

  it("finds one that vouches for other bytes", async () => {
    const codes = await forged((payload) => ({
      ...payload,
      digests: { ...payload.digests, [SAME_WAY.hash]: OTHER_WAY.sha256 },
    }));
    expect(codes).toEqual(["BUNDLE_TAMPERED"]);
  });

  it("finds one that says nothing", async () => {
    expect(await forged((payload) => ({ ...payload, meta: {} }))).toContain("CHAIN_BROKEN");
  });

  it("finds an index that names the version before", async () => {
    await upgrade(SAME_WAY.hash);
    const record = { ...(await current()), bundleHash: BUNDLE.hash };
    const { problems } = await verifyThread(made.engine, record);
    expect(problems.map(({ code }) => code)).toEqual(["CHAIN_BROKEN"]);
  });
});
