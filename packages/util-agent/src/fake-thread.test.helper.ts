import { createHash } from "node:crypto";
import type {
  CasStore,
  RoleStep,
  ThreadContext,
  WorkflowRuntime,
} from "@uncaged/workflow-protocol";

type Parts = Pick<WorkflowRuntime, "cas" | "step">;

/** Content nodes in memory, in the form that the real store has. */
export function fakeCas(): Pick<CasStore, "put" | "get"> & {
  /** Texts by hash. */
  texts: Map<string, string>;
} {
  const texts = new Map<string, string>();
  return {
    texts,
    async put(content) {
      const hash = createHash("sha256").update(content).digest("hex").slice(0, 13).toUpperCase();
      texts.set(hash, content);
      return hash;
    },
    async get(hash) {
      const text = texts.get(hash);
      return text === undefined
        ? null
        : `type: "content"\npayload: ${JSON.stringify(text)}\nrefs: []\n`;
    },
  };
}

export async function fakeThread(
  task: string,
  turns: readonly { role: string; meta: Record<string, unknown>; content: string }[],
  edgePrompt: string | null = null,
): Promise<{ ctx: ThreadContext; runtime: Parts }> {
  const { put, get } = fakeCas();
  const cas = { put, get, delete: async () => {}, list: async () => [] };
  const steps: RoleStep[] = [];
  for (const { role, meta, content } of turns) {
    const contentHash = await put(content);
    steps.push({ role, meta, contentHash, refs: [], timestamp: 0, childThread: null, run: null });
  }
  const ctx: ThreadContext = {
    threadId: "01KAJ2Z6PVX0000000000000ZZ",
    depth: 0,
    bundleHash: "D4KP4Y6MRRVJV",
    start: { role: "__start__", content: task, meta: {}, timestamp: 0, parentState: null },
    steps,
  };
  const round = steps.length + 1;
  const route = {
    from: "__start__",
    to: "coder",
    condition: "FALLBACK",
    rule: 0,
    prompt: edgePrompt,
  };
  const step = {
    role: "coder",
    round,
    route,
    location: null,
    previousSession: null,
    cwd: "/project",
    runMark: "test:1",
    home: "/nowhere",
    agent: null,
  };
  return { ctx, runtime: { cas, step } };
}
