/** Finds the step at which a thread went wrong, by running a test program on a few of its states.
 *
 *  1. `good` and `bad` diverge somewhere; the steps before that are shared and not tested. With only one thread, its
 *     start counts as good and its last step as bad, on the caller's word.
 *  2. The state halfway between a good and a bad one is tested next, so n steps take at most ⌈log2 n⌉ answers. A state
 *     that cannot be judged is skipped in favour of its neighbours, as long as there are any.
 *  3. Nothing is written: the program sees a state as it is in the store. */
import {
  err,
  type Failure,
  failure,
  type JsonObject,
  ok,
  type Result,
  type StepGroup,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { type ChainState, loadChain, roleStates } from "../chain/chain.ts";
import { readNode } from "../chain/read-node.ts";
import type { Engine } from "../storage/engine.ts";

export type BisectStep = {
  /** 1-based position in the bad thread. */
  round: number;
  role: string;
  /** Which member of which group it is; left out: of none. */
  group?: StepGroup;
  meta: JsonObject;
  stateHash: string;
  contentHash: string;
  cwd: string;
};

export type Verdict = "good" | "bad" | "skip";

export type Bisection = {
  threadId: string;
  /** The first step that is bad. */
  firstBad: BisectStep;
  /** Steps next to it that could not be judged: one of them may be the first bad one. */
  undecided: BisectStep[];
  /** How often the program was run. */
  asked: number;
  /** Number of steps between the last one known to be good and the end. */
  candidates: number;
};

/** Rejects when `ask` does. Refused: `USAGE` when there is nothing to search. */
export async function bisectThread(
  engine: Pick<Engine, "cas">,
  threads: { good: ThreadRecord | null; bad: ThreadRecord },
  ask: (step: BisectStep) => Promise<Result<Verdict, Failure>>,
): Promise<Result<Bisection, Failure>> {
  const states = roleStates(await loadChain(engine.cas, threads.bad));
  const shared = threads.good === null ? 0 : await sharedSteps(engine, threads.good, states);
  const steps = states
    .slice(shared)
    .map((state, at) => stepOf(state, shared + at + 1, threads.bad.cwd));
  if (steps.length === 0) return err(nothingToSearch(threads));
  const found = await search(steps, ask);
  if (!found.ok) return found;
  const { firstBad, undecided, asked } = found.value;
  const { threadId } = threads.bad;
  return ok({ threadId, firstBad, undecided, asked, candidates: steps.length });
}

/** What the agent said in the step. */
export async function stepContent(
  cas: Pick<Engine["cas"], "get">,
  { contentHash }: Pick<BisectStep, "contentHash">,
): Promise<string> {
  return (await readNode(cas, contentHash, "content")).payload;
}

type Found = { firstBad: BisectStep; undecided: BisectStep[]; asked: number };

/** `low` is the last step known to be good (-1: the state before all steps), `high` the first known to be bad. */
async function search(
  steps: readonly BisectStep[],
  ask: (step: BisectStep) => Promise<Result<Verdict, Failure>>,
): Promise<Result<Found, Failure>> {
  let low = -1;
  let high = steps.length - 1;
  let asked = 0;
  const skipped = new Set<number>();
  while (true) {
    const at = nearestToMiddle(low, high, skipped);
    const step = at === null ? undefined : steps[at];
    if (at === null || step === undefined) break;
    const verdict = await ask(step);
    if (!verdict.ok) return verdict;
    asked += 1;
    if (verdict.value === "skip") skipped.add(at);
    else if (verdict.value === "good") low = at;
    else high = at;
  }
  const firstBad = steps[high];
  if (firstBad === undefined) throw new RangeError(`no step ${high} of ${steps.length}`);
  return ok({ firstBad, undecided: steps.slice(low + 1, high), asked });
}

/** The untried position between the two that is nearest to their middle; null: none is left. */
function nearestToMiddle(low: number, high: number, skipped: ReadonlySet<number>): number | null {
  const middle = Math.floor((low + high) / 2);
  for (let away = 0; middle - away > low || middle + away < high; away++) {
    for (const at of [middle - away, middle + away]) {
      if (at > low && at < high && !skipped.has(at)) return at;
    }
  }
  return null;
}

/** How many steps from the start the two threads have in common: the same nodes, or the same roles and metas. */
async function sharedSteps(
  engine: Pick<Engine, "cas">,
  good: ThreadRecord,
  states: readonly ChainState[],
): Promise<number> {
  const others = roleStates(await loadChain(engine.cas, good));
  const parts = states.findIndex((state, at) => !isSame(state, others[at]));
  return parts === -1 ? states.length : parts;
}

function isSame(state: ChainState, other: ChainState | undefined): boolean {
  if (other === undefined) return false;
  if (state.hash === other.hash) return true;
  const [a, b] = [state.node.payload, other.node.payload];
  return a.role === b.role && a.content === b.content && same(a.meta, b.meta);
}

/** Metas are stored with sorted keys. */
function same(a: JsonObject, b: JsonObject): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function stepOf({ hash, node }: ChainState, round: number, cwd: string): BisectStep {
  const { role, group, meta, content, cwd: ranIn } = node.payload;
  const place = group === undefined ? {} : { group };
  return { round, role, ...place, meta, stateHash: hash, contentHash: content, cwd: ranIn ?? cwd };
}

function nothingToSearch({ good, bad }: { good: ThreadRecord | null; bad: ThreadRecord }): Failure {
  return good === null
    ? failure("USAGE", `thread ${bad.threadId} has no step yet`, "there is nothing to search")
    : failure(
        "USAGE",
        `every step of thread ${bad.threadId} is also one of thread ${good.threadId}`,
        "name the thread that went wrong second",
      );
}
