/** Proves a thread: every hash and digest computed again, every reference present, the chain unbroken, every
 *  route evaluated again. It reports what it finds and goes on as far as the damage allows. */
import { decodeNode, sha256Hex } from "@uncaged/workflow-cas";
import { pickRoute } from "@uncaged/workflow-moderator";
import {
  type CasNode,
  type CheckReport,
  type Digests,
  failureFrom,
  type Problem,
  type StartNode,
  type StateNode,
  type StepRoute,
  SUSPEND,
  type ThreadContext,
  type ThreadRecord,
  type WorkflowDescriptor,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { ANSWER } from "./answer-directive.ts";
import { skipList } from "./append-step.ts";
import type { Chain, ChainState } from "./chain.ts";
import type { Engine } from "./engine.ts";
import { bundleOf } from "./load-run.ts";
import { threadContext } from "./thread-context.ts";

export async function verifyThread(engine: Engine, thread: ThreadRecord): Promise<CheckReport> {
  const check: Check = { engine, problems: [], sha256: new Map() };
  const chain = await verifyChain(check, thread);
  if (chain !== null) {
    const descriptor = await verifyBundle(check, chain, thread);
    if (descriptor !== null) await verifyRoutes(check, chain, thread, descriptor);
  }
  return { ok: check.problems.length === 0, checked: check.sha256.size, problems: check.problems };
}

type Check = {
  engine: Engine;
  problems: Problem[];
  /** Every blob read so far. */
  sha256: Map<string, string>;
};

/** Walks from the head to the start; null when the chain cannot be followed to its start. */
async function verifyChain(check: Check, thread: ThreadRecord): Promise<Chain | null> {
  const states: ChainState[] = [];
  let hash = thread.head;
  while (hash !== thread.startHash) {
    const node = await verifiedNode(check, hash);
    if (node === null) return null;
    if (node.type !== "state")
      return broken(check, hash, `a ${node.type} node stands where a state belongs`);
    states.push({ hash, node });
    hash = node.payload.ancestors[0] ?? thread.startHash;
  }
  const start = await verifiedNode(check, hash);
  if (start === null) return null;
  if (start.type !== "start")
    return broken(check, hash, `a ${start.type} node stands where the start belongs`);
  states.reverse();
  expect(check, check.sha256.get(thread.head) === thread.headSha256, {
    code: "DIGEST_MISMATCH",
    hash: thread.head,
    message: "the head's SHA-256 is not the one the index vouches for",
  });
  await verifyLinks(check, hash, start);
  for (const [index, state] of states.entries())
    await verifyState(check, thread, states, { state, index });
  return { startHash: hash, start, states };
}

async function verifyState(
  check: Check,
  thread: ThreadRecord,
  states: readonly ChainState[],
  { state, index }: { state: ChainState; index: number },
): Promise<void> {
  const { hash, node } = state;
  const expected = skipList(
    states.slice(Math.max(0, index - 1024), index).map((earlier) => earlier.hash),
  );
  expect(check, node.payload.start === thread.startHash, {
    code: "CHAIN_BROKEN",
    hash,
    message: "names another start node",
  });
  expect(check, sameList(node.payload.ancestors, expected), {
    code: "CHAIN_BROKEN",
    hash,
    message: "its skip list is not the chain's",
  });
  const own = [node.payload.content, thread.startHash, ...node.payload.ancestors];
  expect(check, sameList(node.refs.slice(0, own.length), own), {
    code: "CHAIN_BROKEN",
    hash,
    message: "its refs are not what it names",
  });
  await verifyLinks(check, hash, node);
}

/** Every reference is there, and every digest is that of the bytes it names. */
async function verifyLinks(check: Check, hash: string, node: StartNode | StateNode): Promise<void> {
  for (const ref of node.refs) {
    if (!check.sha256.has(ref)) await readBlob(check, ref, hash);
  }
  const digests: Digests = node.payload.digests;
  for (const [named, digest] of Object.entries(digests)) {
    const actual = check.sha256.get(named);
    if (actual === undefined || actual === digest) continue;
    check.problems.push({
      code: "DIGEST_MISMATCH",
      hash: named,
      message: `${hash} vouches for other bytes`,
    });
  }
  for (const ref of directRefs(node)) {
    expect(check, Object.hasOwn(digests, ref), {
      code: "DIGEST_MISSING",
      hash,
      message: `has no digest of ${ref}`,
    });
  }
}

/** What a node directly depends on: all it refers to, except ancestors that its parent vouches for. */
function directRefs(node: StartNode | StateNode): string[] {
  if (node.type === "start") return [...node.refs, node.payload.hash];
  const [parent = node.payload.start, ...older] = node.payload.ancestors;
  const vouchedByParent = new Set([
    ...older,
    ...(node.payload.ancestors.length > 0 ? [node.payload.start] : []),
  ]);
  return [parent, ...node.refs.filter((ref) => !vouchedByParent.has(ref))];
}

/** Gives the descriptor when the bundle is the one that the thread was started with. */
async function verifyBundle(
  check: Check,
  chain: Chain,
  thread: ThreadRecord,
): Promise<WorkflowDescriptor | null> {
  const hash = thread.bundleHash;
  expect(check, chain.start.payload.hash === hash, {
    code: "CHAIN_BROKEN",
    hash,
    message: "the start node names another bundle",
  });
  const bundle = await bundleOf(check.engine, thread, chain);
  if (bundle.ok) return bundle.value.descriptor;
  check.problems.push({ code: bundle.error.code, hash, message: bundle.error.message });
  return null;
}

/** Asks the moderator again at every step that records a route. */
async function verifyRoutes(
  check: Check,
  chain: Chain,
  thread: ThreadRecord,
  descriptor: WorkflowDescriptor,
): Promise<void> {
  const rules = descriptor.graph.edges;
  const context = await contextOrNull(check, chain, thread);
  if (context === null) return;
  const { steps } = context;
  // Grown one by one, as the engine saw them: the moderator keeps its projection of a growing list.
  const growing: typeof steps = [];
  for (const [index, { hash, node }] of chain.states.entries()) {
    const recorded = node.payload.route;
    if (recorded !== null) {
      const picked = await pickRoute(rules, { ...context, steps: growing }).catch(
        (thrown: unknown) => failureFrom(thrown, "MODERATOR_FAILED").message,
      );
      const same = typeof picked !== "string" && agrees(recorded, picked, growing.at(-1)?.role);
      const now =
        typeof picked === "string" ? picked : `${picked.to} by rule ${picked.rule ?? "none"}`;
      expect(check, same, {
        code: "ROUTE_MISMATCH",
        hash,
        message: `recorded ${recorded.from} → ${recorded.to} by rule ${recorded.rule ?? "none"}; the table now says ${now}`,
      });
    }
    const step = steps[index];
    if (step !== undefined) growing.push(step);
  }
}

/** An answered role stands where the table asks a person on behalf of the last role. */
function agrees(
  recorded: StepRoute,
  picked: { to: string; rule: number | null },
  lastRole: string | undefined,
): boolean {
  if (recorded.condition === ANSWER) return picked.to === SUSPEND && recorded.to === lastRole;
  return picked.to === recorded.to && picked.rule === recorded.rule;
}

async function contextOrNull(
  check: Check,
  chain: Chain,
  thread: ThreadRecord,
): Promise<ThreadContext | null> {
  try {
    return await threadContext(check.engine.cas, thread, chain);
  } catch (thrown) {
    // What is missing was reported where it is named.
    if (thrown instanceof WorkflowError) return null;
    throw thrown;
  }
}

async function verifiedNode(check: Check, hash: string): Promise<CasNode | null> {
  const text = await readBlob(check, hash, "the chain");
  if (text === null) return null;
  const node = decodeNode(text);
  if (node.ok) return node.value;
  check.problems.push({ code: node.error.code, hash, message: node.error.message });
  return null;
}

async function readBlob(check: Check, hash: string, namedBy: string): Promise<string | null> {
  try {
    const text = await check.engine.cas.get(hash);
    if (text === null) return missing(check, hash, namedBy);
    if (!check.sha256.has(hash)) check.sha256.set(hash, sha256Hex(text));
    return text;
  } catch (thrown) {
    const reason = failureFrom(thrown, "CAS_CORRUPT");
    check.problems.push({ code: reason.code, hash, message: reason.message });
    return null;
  }
}

function missing(check: Check, hash: string, namedBy: string): null {
  check.problems.push({
    code: "CAS_MISSING",
    hash,
    message: `is named by ${namedBy} and not in the store`,
  });
  return null;
}

function broken(check: Check, hash: string, message: string): null {
  check.problems.push({ code: "CHAIN_BROKEN", hash, message });
  return null;
}

function expect(check: Check, holds: boolean, problem: Problem): void {
  if (!holds) check.problems.push(problem);
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
