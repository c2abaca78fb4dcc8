/** A storage root with a thread of two steps, made without running anything: its blobs and its index in memory, its
 *  bundle on disk, as small as a bundle can be. */
import {
  encodeContent,
  encodeStart,
  hashBytes,
  type MemoryRow,
  sha256Hex,
} from "@uncaged/workflow-cas";
import {
  END,
  type EncodedNode,
  START,
  type StepRoute,
  type ThreadRecord,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import type { ParsedRoleOutput } from "@uncaged/workflow-protocol/schemas";
import { memoryRegistry, storeBundle } from "@uncaged/workflow-register";
import { memoryLiveLog } from "@uncaged/workflow-store";
import { encodeStep } from "../chain/append-step.ts";
import type { Engine } from "../storage/engine.ts";
import { edge } from "../testing/edge.test.helper.ts";
import { memoryRoot } from "../testing/memory-root.test.helper.ts";
import { timerKeeper } from "../testing/timer-keeper.test.helper.ts";

/** `coder` until it is done, then `tester`; `tester` has no rule. */
const DESCRIPTOR: WorkflowDescriptor = {
  description: "s",
  roles: {
    coder: { description: "", systemPrompt: "", schema: {} },
    tester: { description: "", systemPrompt: "", schema: {} },
  },
  graph: {
    edges: [
      edge(START, "coder", { prompt: "{{ start.content }}!" }),
      edge("coder", "coder", { condition: "more", when: "last.meta.left > 0" }),
      edge("coder", "tester"),
    ],
  },
};

const CODE = Buffer.from(
  `export const descriptor=${JSON.stringify(DESCRIPTOR)};export async function* run(){}`,
);
export const BUNDLE: { hash: string; sha256: string; bytes: Buffer } = {
  hash: hashBytes(CODE),
  sha256: sha256Hex(CODE),
  bytes: CODE,
};

export function route(from: string, to: string, more: Partial<StepRoute> = {}): StepRoute {
  return { from, to, condition: "FALLBACK", rule: 0, prompt: null, ...more };
}

/** The steps of the sample thread, as its roles would have returned them. */
export const STEPS: readonly ParsedRoleOutput[] = [
  { role: "coder", meta: { left: 0 }, route: route(START, "coder", { prompt: "go!" }) },
  { role: "tester", meta: {}, route: route("coder", "tester", { rule: 1 }) },
];

export const ENDING: ParsedRoleOutput = {
  role: END,
  meta: { returnCode: 0, summary: "done" },
  content: "done",
  route: route("tester", END, { condition: "NO_MATCH", rule: null }),
};

export const THREAD_ID = "01KAJ2Z6PVX0000000000000AB";

export type SampleRoot = { engine: Engine; blobs: Map<string, MemoryRow> };

export async function emptyRoot(root: string): Promise<SampleRoot> {
  const blobs = new Map<string, MemoryRow>();
  const { cas, store, dispatch, workers } = memoryRoot(root, blobs);
  const engine: Engine = {
    root,
    cas,
    store,
    dispatch,
    workers,
    registry: memoryRegistry(),
    live: memoryLiveLog(),
    keeper: timerKeeper({ store, now: Date.now }),
    now: () => 1_700_000_000_000,
    packagesBase: import.meta.url,
  };
  return { engine, blobs };
}

/** A sample root that contains the thread, or one with other steps. */
export async function sampleRoot(
  root: string,
  steps: readonly ParsedRoleOutput[] = [...STEPS, ENDING],
): Promise<SampleRoot & { thread: ThreadRecord }> {
  const made = await emptyRoot(root);
  await storeBundle(root, {
    ...BUNDLE,
    descriptor: DESCRIPTOR,
    externals: [],
    rolldown: null,
    types: null,
    yaml: null,
  });
  const thread = await addThread(made.engine, { threadId: THREAD_ID, steps, parent: null });
  return { ...made, thread };
}

/** Stores a thread's nodes and adopts it, ended when its last step is an end. */
export async function addThread(
  { cas, store }: Pick<Engine, "cas" | "store">,
  made: {
    threadId: string;
    steps: readonly ParsedRoleOutput[];
    parent: { threadId: string; state: Pick<EncodedNode, "hash" | "sha256"> } | null;
  },
): Promise<ThreadRecord> {
  const { threadId, steps, parent } = made;
  const prompt = encodeContent("go");
  const depth = parent === null ? 0 : 1;
  const refs = [prompt.hash, ...(parent === null ? [] : [parent.state.hash])];
  const start = encodeStart(
    {
      name: "sample",
      hash: BUNDLE.hash,
      depth,
      parentState: parent?.state.hash ?? null,
      externals: {},
      digests: {
        [prompt.hash]: prompt.sha256,
        [BUNDLE.hash]: BUNDLE.sha256,
        ...(parent === null ? {} : { [parent.state.hash]: parent.state.sha256 }),
      },
    },
    refs,
  );
  await cas.putBatch([prompt, start]);
  const hashes: string[] = [];
  let head: EncodedNode = start;
  for (const [index, output] of steps.entries()) {
    const place = { startHash: start.hash, lastStates: hashes, parentSha256: head.sha256 };
    const { content, state } = await encodeStep(cas, place, { output, nowMs: 1_000 + index });
    await cas.putBatch([content, state]);
    hashes.push(state.hash);
    head = state;
  }
  const end = steps.find(({ role }) => role === END);
  await store.adopt([
    {
      threadId,
      workflow: "sample",
      bundleHash: BUNDLE.hash,
      startHash: start.hash,
      head: head.hash,
      headSha256: head.sha256,
      ...(end === undefined
        ? { status: "idle", pendingInput: null }
        : { status: "completed", returnCode: 0, summary: "done" }),
      stepCount: steps.length - (end === undefined ? 0 : 1),
      depth,
      parentThread: parent?.threadId ?? null,
      cwd: "/",
      limits: null,
      agent: null,
      title: null,
      labels: {},
      forkedFrom: null,
      startedAt: 1_000,
      createdAt: 1_000,
      updatedAt: 2_000,
    },
  ]);
  const thread = await store.get(threadId);
  if (thread === null) throw new Error("the thread was not adopted");
  return thread;
}
