/** Proves a thread: recomputes every hash and digest, checks that every reference exists and that the chain is
 *  unbroken, and evaluates every route again. It reports what it finds and continues as far as the damage allows.
 *
 *  1. Everything that the thread reaches is read, each blob once: its own chain, artifacts, prompts and evidence, the
 *     chain that a child was started from, and the child threads that its steps name, as far as they are kept.
 *  2. The thread's record is compared with its chain. */
import {
  type CheckReport,
  type DescriptorEdge,
  END,
  endingOf,
  type ThreadContext,
  type ThreadRecord,
  type WorkflowDescriptor,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import {
  type Chain,
  type ChainState,
  endState,
  isNote,
  promptHash,
  roleStates,
} from "../chain/chain.ts";
import { skipList } from "../chain/chain-cursor.ts";
import { threadContext } from "../chain/thread-context.ts";
import {
  type KnownBundle,
  type KnownThread,
  storedThreads,
  type ThreadSource,
} from "../chain/thread-source.ts";
import { isUpgrade, upgradeOf, versionAfter, versionsOf } from "../chain/upgrades.ts";
import { statusOf } from "../run/finish-thread.ts";
import type { Engine } from "../storage/engine.ts";
import { fetchToRead } from "../travel/fetch-here.ts";
import { BlobCheck } from "./verify-blobs.ts";
import { type RecordedTrees, verifyFiles } from "./verify-files.ts";
import { stateSeenBy, verifyGroups } from "./verify-groups.ts";
import { spawnOf, verifyNotes } from "./verify-notes.ts";
import { resultMismatch } from "./verify-result.ts";
import { verifyRoutes } from "./verify-routes.ts";
import { verifyRules } from "./verify-rules.ts";

export async function verifyThread(engine: Engine, thread: ThreadRecord): Promise<CheckReport> {
  const { report, files, threads } = await proveThread(storedThreads(engine), thread);
  for (const each of threads) await fetchToRead(engine, each);
  const problems = [...report.problems, ...(await verifyFiles(engine.root, files))];
  return { ...report, ok: problems.length === 0, problems };
}

/** The outcome of a proof, and everything it covered. */
export type Proof = {
  report: CheckReport;
  /** The thread, then the child threads of its steps, in step order. */
  threads: readonly KnownThread[];
  /** Each bundle of these threads, by hash. */
  bundles: readonly KnownBundle[];
  /** From each blob that was read to its SHA-256 (hex). */
  blobs: ReadonlyMap<string, string>;
  /** What the steps say about files; nothing of it has been looked at. */
  files: readonly RecordedTrees[];
};

/** The same for a thread that may be kept elsewhere. */
export async function proveThread(source: ThreadSource, thread: KnownThread): Promise<Proof> {
  const blobs = new BlobCheck(source.cas);
  const check: Check = { source, blobs, seen: new Map(), bundles: new Map(), files: [] };
  await verifyOne(check, thread);
  await blobs.finish();
  const { problems, digests } = blobs;
  return {
    report: { ok: problems.length === 0, checked: digests.size, problems },
    threads: [...check.seen.values()],
    bundles: [...check.bundles.values()].sort((a, b) => (a.hash < b.hash ? -1 : 1)),
    blobs: digests,
    files: check.files,
  };
}

type Check = {
  source: ThreadSource;
  blobs: BlobCheck;
  /** Threads reached so far, by id. */
  seen: Map<string, KnownThread>;
  /** Bundles of these threads, by hash. */
  bundles: Map<string, KnownBundle>;
  files: RecordedTrees[];
};

async function verifyOne(check: Check, thread: KnownThread): Promise<void> {
  check.seen.set(thread.threadId, thread);
  const chain = await verifyChain(check.blobs, thread);
  if (chain === null) return;
  verifyRecord(check.blobs, thread, chain);
  for (const { hash, message } of [...verifyGroups(chain), ...verifyNotes(chain)])
    check.blobs.report("CHAIN_BROKEN", hash, message);
  for (const { hash, node } of chain.states)
    if (node.payload.workspace !== undefined)
      check.files.push({ threadId: thread.threadId, stateHash: hash, ...node.payload.workspace });
  await verifyTables(check, thread, chain);
  for (const state of chain.states) await verifyChild(check, chain, state);
}

/** Walks from the head to the start; null when the chain cannot be followed to its start. */
async function verifyChain(blobs: BlobCheck, thread: KnownThread): Promise<Chain | null> {
  const states: ChainState[] = [];
  const passed = new Set<string>();
  let hash = thread.head;
  while (hash !== thread.startHash) {
    if (passed.has(hash)) {
      // XXH64 can be forged, so a chain could contain a cycle.
      blobs.report("CHAIN_BROKEN", hash, "occurs among its own ancestors");
      return null;
    }
    passed.add(hash);
    const node = await blobs.state(hash, "the chain");
    if (node === null) return null;
    if (node.type !== "state") {
      blobs.report("CHAIN_BROKEN", hash, `a ${node.type} node is where a state belongs`);
      return null;
    }
    states.push({ hash, node });
    hash = node.payload.ancestors[0] ?? thread.startHash;
  }
  const start = await blobs.node(hash, "the chain");
  if (start === null) return null;
  if (start.type !== "start") {
    blobs.report("CHAIN_BROKEN", hash, `a ${start.type} node is where the start belongs`);
    return null;
  }
  states.reverse();
  const chain = { startHash: hash, start, states };
  blobs.mustBeContent(promptHash(start), hash);
  const hashes: string[] = [];
  for (const state of states) {
    verifyState(blobs, chain, { state, before: hashes });
    hashes.push(state.hash);
  }
  return chain;
}

/** `before`: the states that this one follows, oldest first. */
function verifyState(
  blobs: BlobCheck,
  chain: Chain,
  { state, before }: { state: ChainState; before: readonly string[] },
): void {
  const { hash, node } = state;
  const { start, ancestors, content, role, prompt } = node.payload;
  const expected = skipList(before);
  const isLast = before.length === chain.states.length - 1;
  const attached = [...(prompt ? [prompt] : []), ...(node.payload.evidence ?? [])];
  const fault = (holds: boolean, message: string): void => {
    if (!holds) blobs.report("CHAIN_BROKEN", hash, message);
  };
  fault(start === chain.startHash, "names another start node");
  fault(sameList(ancestors, expected), "its skip list is not the chain's");
  fault(role !== END || isLast, "an end node stands before the end");
  if (isUpgrade(state)) {
    const ran = versionAfter({ ...chain, states: chain.states.slice(0, before.length) });
    fault(upgradeOf(node)?.from === ran.hash, "it upgrades a version that the thread did not run");
  }
  fault(
    sameList(node.refs.slice(node.refs.length - attached.length), attached) &&
      node.refs.length >= 2 + ancestors.length + attached.length,
    "its refs do not end with the prompt and the evidence of its run",
  );
  blobs.mustBeContent(content, hash);
  if (prompt) blobs.mustBeContent(prompt, hash);
}

/** The thread's record has to match its chain. */
function verifyRecord(blobs: BlobCheck, thread: KnownThread, chain: Chain): void {
  const { head, status } = thread;
  const { payload } = chain.start;
  const version = versionAfter(chain).hash;
  const last = chain.states.at(-1)?.node.payload;
  const end = last?.role === END ? last.meta : null;
  const fault = (holds: boolean, message: string): void => {
    if (!holds) blobs.report("INDEX_MISMATCH", head, message);
  };
  if (blobs.sha256(head) !== thread.headSha256) {
    const message = "the head's SHA-256 is not the one in the index";
    blobs.report("DIGEST_MISMATCH", head, message);
  }
  if (version !== thread.bundleHash)
    blobs.report("CHAIN_BROKEN", thread.bundleHash, "the chain names another bundle");
  fault(payload.name === thread.workflow, "the index names another workflow than the start node");
  fault(payload.depth === thread.depth, "the index has another depth than the start node");
  fault(
    roleStates(chain).length === thread.stepCount,
    `the index counts ${thread.stepCount} steps, the chain has ${roleStates(chain).length}`,
  );
  const ending = endingOf(thread);
  fault(
    (ending?.returnCode ?? null) === (end?.returnCode ?? null) &&
      (ending?.summary ?? null) === (end?.summary ?? null),
    "the index has another return code or summary than the end node",
  );
  const ended = ending === null ? null : statusOf(ending.returnCode);
  fault((ending?.status ?? null) === ended, `the index says ${status}, the chain does not`);
}

/** Evaluates the routes again, and checks each step against its role's rules, with each bundle for the part of the
 *  thread that it ran. */
async function verifyTables(check: Check, thread: KnownThread, chain: Chain): Promise<void> {
  const { source, blobs } = check;
  const tables = new Map<string, readonly DescriptorEdge[]>();
  const rules = new Map<string, WorkflowDescriptor["roles"]>();
  for (const { hash, sha256 } of versionsOf(chain)) {
    const bundle = await source.bundle(hash, sha256);
    if (bundle.ok) {
      check.bundles.set(hash, bundle.value);
      tables.set(hash, bundle.value.descriptor.graph.edges);
      rules.set(hash, bundle.value.descriptor.roles);
    } else blobs.report(bundle.error.code, hash, bundle.error.message);
  }
  for (const { code, hash, message } of await verifyRules(source.cas, rules, chain))
    blobs.report(code, hash, message);
  const context = await contextOrNull(source, chain, thread);
  if (context === null) return;
  for (const { hash: state, message } of await verifyRoutes(tables, chain, context))
    blobs.report("ROUTE_MISMATCH", state, message);
  await verifyResult(check, chain, context);
}

/** The result in the end node, evaluated again by the version that the thread ended with. */
async function verifyResult(check: Check, chain: Chain, context: ThreadContext): Promise<void> {
  const end = endState(chain);
  const bundle = check.bundles.get(versionAfter(chain).hash);
  if (end === null || bundle === undefined) return;
  const message = await resultMismatch(bundle.descriptor, end, context);
  if (message !== null) check.blobs.report("RESULT_MISMATCH", end.hash, message);
}

async function contextOrNull(
  source: ThreadSource,
  chain: Chain,
  thread: KnownThread,
): Promise<ThreadContext | null> {
  try {
    return await threadContext(source.cas, thread, chain);
  } catch (thrown) {
    // What is missing was reported where it is named.
    if (thrown instanceof WorkflowError) return null;
    throw thrown;
  }
}

/** The child that a step ran: it started from the state before that step, or as a worker from the note of its start, and is
 *  sound itself. A child that was removed
 *  since proves nothing against the step. */
async function verifyChild(check: Check, chain: Chain, state: ChainState): Promise<void> {
  const { source, blobs, seen } = check;
  const { childThread } = state.node.payload;
  if (childThread === null || seen.has(childThread)) return;
  const child = await source.thread(childThread);
  if (child === null) return;
  const node = await blobs.node(child.startHash, state.hash);
  const parent = node?.type === "start" ? node.payload.parentState : null;
  const expected = isNote(state) ? spawnOf(chain, state) : stateSeenBy(chain, state);
  if (parent !== expected) {
    const message = `its child thread ${childThread} was not started from ${isNote(state) ? "the note of its start" : "the state before it"}`;
    blobs.report("CHAIN_BROKEN", state.hash, message);
  }
  await verifyOne(check, child);
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
