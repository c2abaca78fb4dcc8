/** Makes a role's output the next step of a thread.
 *
 *  Order of effects: blobs, then the head, or both in one transaction. A crash before the head moves
 *  leaves the step undone, and perhaps garbage for gc; a crash after it leaves the step done. There is
 *  no state in between. */
import { encodeContent, encodeState } from "@uncaged/workflow-cas";
import type {
  EncodedNode,
  HeadMove,
  NodeStore,
  RoleStep,
  RootStore,
  SignalKind,
  Spent,
  StateNode,
  StatePayload,
  StepGroup,
  StepProof,
  StepWorkspace,
} from "@uncaged/workflow-protocol";
import type { ParsedRoleOutput } from "@uncaged/workflow-protocol/schemas";
import {
  type ChainCursor,
  type ChainPlace,
  cursorAfter,
  parentOf,
  skipList,
} from "./chain-cursor.ts";
import { digestsOf } from "./digests.ts";
import { spentBy } from "./spent.ts";
import { roleStep } from "./thread-context.ts";

type Ports = { cas: Pick<RootStore, "get" | "publish"> };

/** How a step relates to the head: it follows the head or replaces it. */
type StepKind = Extract<HeadMove["kind"], "append" | "replace">;

export type PublishedStep = {
  step: RoleStep;
  stateHash: string;
  signals: readonly SignalKind[];
  /** The cursor for the step after this one. */
  cursor: ChainCursor;
};

/** Encodes and publishes a step. Throws `ARTIFACT_MISSING` when the output names an artifact that is not in the CAS,
 *  and `LEASE_LOST` when the thread has another owner by now; in both cases the head has not moved. */
export async function publishStep(
  ports: Ports,
  cursor: ChainCursor,
  {
    kind,
    spent,
    ...stored
  }: {
    kind: StepKind;
    /** Left out: what the record of its run says. */
    spent?: Spent | null;
  } & StoredOutput,
): Promise<PublishedStep> {
  const { nowMs, output } = stored;
  const { content, state, node } = await encodeStep(ports.cas, cursor, stored);
  const signals = await ports.cas.publish([content, state], {
    kind,
    threadId: cursor.threadId,
    fence: cursor.fence,
    from: cursor.head,
    to: state.hash,
    toSha256: state.sha256,
    nowMs,
    spent: spent === undefined ? spentBy(output.role, output.run ?? null) : spent,
  });
  const next = cursorAfter(cursor, state);
  return { step: roleStep(node), stateHash: state.hash, signals, cursor: next };
}

export type StoredOutput = {
  output: ParsedRoleOutput;
  nowMs: number;
  /** Which member of which group it is; left out: of none. */
  group?: StepGroup | undefined;
  /** What the role did to the files; left out or null: that is not known. */
  workspace?: StepWorkspace | null;
  /** Left out or null: nothing was checked so far. */
  proof?: StepProof | null;
};

/** The two blobs of a step: what was said, and the state that names it. */
export async function encodeStep(
  cas: Pick<NodeStore, "get">,
  cursor: ChainPlace,
  { output, nowMs, group, workspace = null, proof = null }: StoredOutput,
): Promise<{ content: EncodedNode; state: EncodedNode; node: StateNode }> {
  const artifacts = output.refs ?? [];
  const content = encodeContent(output.content ?? JSON.stringify(output.meta), artifacts);
  const ancestors = skipList(cursor.lastStates);
  const run = output.run ?? null;
  const attached = [...(run?.prompt ? [run.prompt] : []), ...(run?.evidence ?? [])];
  const payload: StatePayload = {
    role: output.role,
    meta: output.meta,
    start: cursor.startHash,
    content: content.hash,
    ancestors,
    compact: null,
    timestamp: nowMs,
    childThread: output.childThread ?? null,
    digests: {
      ...(await digestsOf(cas, [...artifacts, ...attached])),
      [content.hash]: content.sha256,
      [parentOf(cursor)]: cursor.parentSha256,
    },
    route: output.route ?? null,
    ...(output.outcome === undefined ? {} : { outcome: output.outcome }),
    ...(group === undefined ? {} : { group }),
    ...(workspace === null ? {} : { workspace }),
    ...(proof === null ? {} : { proof }),
    ...run,
  };
  const refs = [content.hash, cursor.startHash, ...ancestors, ...artifacts, ...attached];
  return { content, state: encodeState(payload, refs), node: { type: "state", payload, refs } };
}
