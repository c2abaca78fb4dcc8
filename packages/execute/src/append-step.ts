/** Makes a role's output the next step of a thread.
 *
 *  Order of effects: blobs, then the head, or both in one transaction. A crash before the head moves
 *  leaves the step undone, and perhaps garbage for gc; a crash after it leaves the step done. There is
 *  no state in between. */
import { encodeContent, encodeState } from "@uncaged/workflow-cas";
import type {
  EncodedNode,
  NodeStore,
  RoleStep,
  SignalKind,
  StateNode,
  StatePayload,
  ThreadRecord,
} from "@uncaged/workflow-protocol";
import type { ParsedRoleOutput } from "@uncaged/workflow-protocol/schemas";
import { type Chain, roleStates } from "./chain.ts";
import { digestsOf } from "./digests.ts";
import type { Publish } from "./publish.ts";
import { roleStep } from "./thread-context.ts";

/** Where the next step of a thread goes. Only the owner of the lease holds one. */
export type Tail = {
  threadId: string;
  fence: number;
  startHash: string;
  /** Every state that the next one follows, oldest first: its skip list is read off them. */
  stateHashes: string[];
  /** Those of them that are role results: round i + 1 each. */
  roundHashes: string[];
  /** SHA-256 (hex) of the last of them; of the start node before the first step. */
  parentSha256: string;
  /** The thread's head as the index has it. It is that last state, except when a head is replaced. */
  head: string;
};

/** Where the next step of a thread goes, for the owner of this fence. */
export function tailOf(thread: ThreadRecord, chain: Chain, fence: number): Tail {
  return {
    threadId: thread.threadId,
    fence,
    startHash: thread.startHash,
    stateHashes: chain.states.map((state) => state.hash),
    roundHashes: roleStates(chain).map((state) => state.hash),
    parentSha256: thread.headSha256,
    head: thread.head,
  };
}

type Ports = { cas: Pick<NodeStore, "get">; publish: Publish };

/** Appends and publishes. Throws `ARTIFACT_MISSING` when the output names an artifact that is not in the
 *  CAS, `LEASE_LOST` when the thread has another owner by now; the head has then not moved. */
export async function appendStep(
  ports: Ports,
  tail: Tail,
  step: { output: ParsedRoleOutput; nowMs: number; replaces?: true },
): Promise<{ step: RoleStep; stateHash: string; signals: readonly SignalKind[] }> {
  const encoded = await encodeStep(ports.cas, tail, step);
  const signals = await ports.publish([encoded.content, encoded.state], {
    threadId: tail.threadId,
    fence: tail.fence,
    from: tail.head,
    to: encoded.state.hash,
    toSha256: encoded.state.sha256,
    stepCount: tail.roundHashes.length + 1,
    nowMs: step.nowMs,
    ...(step.replaces === undefined ? {} : { replaces: step.replaces }),
  });
  tail.stateHashes.push(encoded.state.hash);
  tail.roundHashes.push(encoded.state.hash);
  tail.parentSha256 = encoded.state.sha256;
  tail.head = encoded.state.hash;
  return { step: roleStep(encoded.node), stateHash: encoded.state.hash, signals };
}

/** What the next step follows: the last state, or the start node before the first step. */
export function parentOf(tail: Pick<Tail, "stateHashes" | "startHash">): string {
  return tail.stateHashes.at(-1) ?? tail.startHash;
}

/** The two blobs of a step: what was said, and the state that names it. */
export async function encodeStep(
  cas: Pick<NodeStore, "get">,
  tail: Pick<Tail, "stateHashes" | "startHash" | "parentSha256">,
  { output, nowMs }: { output: ParsedRoleOutput; nowMs: number },
): Promise<{ content: EncodedNode; state: EncodedNode; node: StateNode }> {
  const artifacts = output.refs ?? [];
  const content = encodeContent(output.content ?? JSON.stringify(output.meta), artifacts);
  const ancestors = skipList(tail.stateHashes);
  const run = output.run ?? null;
  const attached = [...(run?.prompt ? [run.prompt] : []), ...(run?.evidence ?? [])];
  const payload: StatePayload = {
    role: output.role,
    meta: output.meta,
    start: tail.startHash,
    content: content.hash,
    ancestors,
    compact: null,
    timestamp: nowMs,
    childThread: output.childThread ?? null,
    digests: {
      ...(await digestsOf(cas, [...artifacts, ...attached])),
      [content.hash]: content.sha256,
      [parentOf(tail)]: tail.parentSha256,
    },
    route: output.route ?? null,
    ...(output.outcome === undefined ? {} : { outcome: output.outcome }),
    ...run,
  };
  const refs = [content.hash, tail.startHash, ...ancestors, ...artifacts, ...attached];
  return { content, state: encodeState(payload, refs), node: { type: "state", payload, refs } };
}

/** Ancestors at distances 1, 2, 4, … 1024 of the state that comes after `hashes`, as far as they exist. */
export function skipList(hashes: readonly string[]): string[] {
  const ancestors: string[] = [];
  for (let distance = 1; distance <= 1024; distance *= 2) {
    const hash = hashes[hashes.length - distance];
    if (hash === undefined) break;
    ancestors.push(hash);
  }
  return ancestors;
}
