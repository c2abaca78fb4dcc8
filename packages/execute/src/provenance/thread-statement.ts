/** The contents of an attestation: an in-toto statement (https://in-toto.io/Statement/v1) over a proved thread.
 *
 *  1. It depends on the thread alone, so anyone who has the thread can write the same bytes and compare.
 *  2. Its subjects are the files of an export except the index: every node, every bundle and its descriptor.
 *  3. It contains no text of a person or an agent, only digests: its readers need not be allowed to see the thread. It
 *     does contain names: of workflows, roles, conditions and agents. */
import { canonicalJson } from "@uncaged/workflow-cas";
import {
  END,
  endingOf,
  type JsonObject,
  type PersonRecord,
  type StateNode,
  type StepWorkspace,
  type Usage,
} from "@uncaged/workflow-protocol";
import { type Chain, type ChainState, loadChain, roleStates } from "../chain/chain.ts";
import { recordedResult, resultInMeta } from "../chain/recorded-result.ts";
import { runOf } from "../chain/thread-context.ts";
import type { KnownThread, ThreadSource } from "../chain/thread-source.ts";
import { isUpgrade } from "../chain/upgrades.ts";
import type { Proof } from "../verify/verify-thread.ts";
import { blobEntry, bundleEntries } from "./export-layout.ts";

const STATEMENT_TYPE = "https://in-toto.io/Statement/v1";
const PREDICATE_TYPE = "urn:uncaged:workflow-thread:v1";
/** Payload type of the envelope. */
export const PAYLOAD_TYPE = "application/vnd.in-toto+json";

export type ThreadStatement = { payload: Buffer; subjects: number };

/** Throws when the thread is damaged; call it only after a proof that found nothing wrong. */
export async function threadStatement(
  source: ThreadSource,
  proof: Proof,
): Promise<ThreadStatement> {
  const subject = subjectsOf(proof);
  const threads: JsonObject[] = [];
  for (const thread of proof.threads) {
    threads.push(threadClaim(thread, await loadChain(source.cas, thread)));
  }
  const statement: JsonObject = {
    _type: STATEMENT_TYPE,
    subject,
    predicateType: PREDICATE_TYPE,
    predicate: { threads },
  };
  return { payload: Buffer.from(canonicalJson(statement)), subjects: subject.length };
}

function subjectsOf({ bundles, blobs }: Proof): JsonObject[] {
  const ofBundles = bundles.flatMap(({ hash, sha256, descriptorSha256 }) => {
    const { code, descriptor } = bundleEntries(hash);
    return [subjectOf(code, sha256), subjectOf(descriptor, descriptorSha256)];
  });
  const nodes = [...blobs].sort(([a], [b]) => (a < b ? -1 : 1));
  return [...ofBundles, ...nodes.map(([hash, sha256]) => subjectOf(blobEntry(hash), sha256))];
}

function subjectOf(name: string, sha256: string): JsonObject {
  return { name, digest: { sha256 } };
}

/** Times are Unix milliseconds. */
function threadClaim(thread: KnownThread, chain: Chain): JsonObject {
  const { threadId, workflow, bundleHash, head, startedAt } = thread;
  const ending = endingOf(thread);
  const { payload } = chain.start;
  const steps = roleStates(chain);
  const end = chain.states.find((state) => state.node.payload.role === END);
  const upgrades = chain.states.filter(isUpgrade).map(upgradeClaim);
  return {
    threadId,
    workflow,
    bundle: bundleHash,
    externals: payload.externals,
    depth: payload.depth,
    parentState: payload.parentState,
    start: chain.startHash,
    head,
    headSha256: thread.headSha256,
    startedAt,
    endedAt: end?.node.payload.timestamp ?? null,
    outcome: ending && { status: ending.status, returnCode: ending.returnCode },
    endRoute: end === undefined ? null : routeClaim(end.node),
    // Left out when there is none, like the upgrades.
    ...(end === undefined ? {} : resultInMeta(recordedResult(end.node))),
    // Left out when there is none, so that older statements can still be reproduced byte for byte.
    ...(upgrades.length === 0 ? {} : { upgrades }),
    usage: sumOf(steps.map(({ node }) => node.payload.usage ?? null)),
    steps: steps.map((state, index) => stepClaim(state, index + 1)),
  };
}

function upgradeClaim({ hash, node: { payload } }: ChainState): JsonObject {
  return { state: hash, timestamp: payload.timestamp, ...payload.meta };
}

function stepClaim({ hash, node }: ChainState, round: number): JsonObject {
  const { role, timestamp, content, childThread, digests, workspace, proof } = node.payload;
  const run = runOf(node);
  return {
    round,
    role,
    state: hash,
    content,
    timestamp,
    childThread,
    route: routeClaim(node),
    // Left out when there is none, so that older statements can still be reproduced byte for byte. No paths: they name
    // people and projects.
    ...(workspace === undefined ? {} : { files: filesClaim(workspace) }),
    ...(proof === undefined ? {} : { evidence: proof }),
    run: run && {
      agent: run.agent,
      // Left out when there is none, so that older statements can still be reproduced byte for byte.
      ...(run.person === undefined ? {} : { person: personClaim(run.person) }),
      startedAt: run.startedAt,
      completedAt: run.completedAt,
      usage: run.usage,
      evidence: run.evidence.map((evidence) => ({
        hash: evidence,
        sha256: digests[evidence] ?? null,
      })),
    },
  };
}

function filesClaim({ head, before, after, objectFormat }: StepWorkspace): JsonObject {
  return { head, before, after, objectFormat };
}

function personClaim({ user, assignees }: PersonRecord): JsonObject {
  return { user, assignees: [...assignees] };
}

function routeClaim({ payload }: StateNode): JsonObject | null {
  if (payload.route === null) return null;
  const { from, to, condition, rule, promptFrom } = payload.route;
  return { from, to, condition, rule, promptFrom: promptFrom ?? "table" };
}

/** null when no step reports usage; the cost is null when no step reports a cost. */
function sumOf(usages: readonly (Usage | null)[]): JsonObject | null {
  const known = usages.filter((usage) => usage !== null);
  if (known.length === 0) return null;
  const costs = known.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]));
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  return {
    inputTokens: sum(known.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(known.map(({ outputTokens }) => outputTokens)),
    cachedInputTokens: sum(known.map(({ cachedInputTokens }) => cachedInputTokens)),
    costUsd: costs.length === 0 ? null : sum(costs),
    ...(known.some(({ estimated }) => estimated) ? { estimated: true } : {}),
  };
}
