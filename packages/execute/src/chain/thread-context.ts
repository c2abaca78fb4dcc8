import {
  type CasStore,
  type RoleStep,
  START,
  type StateNode,
  type StatePayload,
  type StepRun,
  type ThreadContext,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { artifactRefs, type Chain, type ChainState, promptHash, roleStates } from "./chain.ts";
import { readNode } from "./read-node.ts";

/** What a workflow function sees of a thread: its start and the steps so far. */
export async function threadContext(
  cas: Pick<CasStore, "get">,
  thread: Pick<ThreadRecord, "threadId" | "depth" | "bundleHash" | "startedAt">,
  chain: Chain,
): Promise<ThreadContext> {
  const prompt = await readNode(cas, promptHash(chain.start), "content");
  return {
    threadId: thread.threadId,
    depth: thread.depth,
    bundleHash: thread.bundleHash,
    start: {
      role: START,
      content: prompt.payload,
      meta: {},
      timestamp: thread.startedAt,
      parentState: chain.start.payload.parentState,
    },
    steps: roleStates(chain).map((state) => roleStep(state.node)),
  };
}

export function roleStep(node: ChainState["node"]): RoleStep {
  const { role, meta, content, timestamp, childThread, outcome, group, proof } = node.payload;
  return {
    role,
    meta,
    contentHash: content,
    refs: artifactRefs(node),
    timestamp,
    childThread,
    run: runOf(node),
    ...(outcome === undefined ? {} : { outcome }),
    ...(group === undefined ? {} : { group }),
    ...(proof === undefined ? {} : { proof }),
  };
}

/** The run record of a state; null when its adapter supplied none. */
export function runOf(node: StateNode): StepRun | null {
  const record: StatePayload = node.payload;
  if (
    record.agent === undefined ||
    record.startedAt === undefined ||
    record.completedAt === undefined
  )
    return null;
  return {
    agent: record.agent,
    session: record.session ?? null,
    prompt: record.prompt ?? null,
    startedAt: record.startedAt,
    completedAt: record.completedAt,
    usage: record.usage ?? null,
    ...(record.rawUsage === undefined ? {} : { rawUsage: record.rawUsage }),
    ...(record.notes === undefined ? {} : { notes: record.notes }),
    cwd: record.cwd ?? "",
    evidence: record.evidence ?? [],
    ...(record.policy === undefined ? {} : { policy: record.policy }),
    ...(record.isolation === undefined ? {} : { isolation: record.isolation }),
    ...(record.person === undefined ? {} : { person: record.person }),
  };
}
