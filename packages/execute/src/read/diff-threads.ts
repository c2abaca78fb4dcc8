import {
  isSameGroup,
  type JsonValue,
  type StateNode,
  type StepGroup,
  sumUsage,
  type ThreadRecord,
  type Usage,
} from "@uncaged/workflow-protocol";
import { type ChainState, loadChain, roleStates } from "../chain/chain.ts";
import type { Engine } from "../storage/engine.ts";
import { diffFiles, type FilesDiff } from "./diff-files.ts";
import { type Difference, differences } from "./differences.ts";

type DiffSide = {
  role: string;
  /** Left out: the step is no member of a group. */
  group?: StepGroup;
  meta: JsonValue;
  stateHash: string;
  condition: string | null;
};

export type DiffRound = {
  /** 1-based. Members of a group are in declared order, whatever the order in which they finished. */
  round: number;
  /** `shared`: the same node. `equal`: the same role and meta in different nodes. `differs`: anything else. */
  relation: "shared" | "equal" | "differs";
  /** null: this thread has no such round. */
  a: DiffSide | null;
  b: DiffSide | null;
  /** Differences between the metas; empty unless both threads have the round. */
  changes: Difference[];
};

/** `usage`: of the steps that the threads do not share; null when no agent reports usage. */
export type DiffedThread = { threadId: string; status: string; usage: Usage | null };

export type ThreadDiff = {
  a: DiffedThread;
  b: DiffedThread;
  /** First round in which role or meta differ, or that only one thread has; null: none. */
  partsAt: number | null;
  rounds: DiffRound[];
  /** null: of one of them no step has a record of its files. */
  files: FilesDiff | null;
};

/** Compares two threads role by role and meta by meta, and the files that they left. */
export async function diffThreads(
  engine: Pick<Engine, "cas" | "root">,
  a: ThreadRecord,
  b: ThreadRecord,
): Promise<ThreadDiff> {
  const [ofA, ofB] = [
    roleStates(await loadChain(engine.cas, a)),
    roleStates(await loadChain(engine.cas, b)),
  ];
  const rounds = paired(ofA, ofB).map(([ofOne, ofOther], index) =>
    diffRound(index + 1, ofOne, ofOther),
  );
  return {
    a: { threadId: a.threadId, status: a.status, usage: ownUsage(ofA, ofB) },
    b: { threadId: b.threadId, status: b.status, usage: ownUsage(ofB, ofA) },
    partsAt: rounds.find(({ relation }) => relation === "differs")?.round ?? null,
    rounds,
    files: await diffFiles(engine.root, { thread: a, states: ofA }, { thread: b, states: ofB }),
  };
}

type Pair = [a: ChainState | undefined, b: ChainState | undefined];

/** Steps side by side, in order; members of a group beside those with the same place in it. */
function paired(a: readonly ChainState[], b: readonly ChainState[]): Pair[] {
  const [ofA, ofB] = [groupsIn(a), groupsIn(b)];
  return Array.from({ length: Math.max(ofA.length, ofB.length) }, (_unused, at) => at).flatMap(
    (at) => pairedMembers(ofA[at] ?? new Map(), ofB[at] ?? new Map()),
  );
}

type Members = ReadonlyMap<number, ChainState>;

function pairedMembers(a: Members, b: Members): Pair[] {
  const places = [...new Set([...a.keys(), ...b.keys()])].sort((one, other) => one - other);
  return places.map((place) => [a.get(place), b.get(place)]);
}

/** The members of each group by their place in it. A step that is no member counts as a group of one. */
function groupsIn(states: readonly ChainState[]): Members[] {
  const groups: Map<number, ChainState>[] = [];
  let last: StepGroup | undefined;
  for (const state of states) {
    const { group } = state.node.payload;
    const goesOn = isSameGroup(last, group);
    const members = goesOn ? (groups.at(-1) ?? new Map()) : new Map<number, ChainState>();
    if (!goesOn) groups.push(members);
    members.set(group?.index ?? 0, state);
    last = group;
  }
  return groups;
}

function ownUsage(states: readonly ChainState[], others: readonly ChainState[]): Usage | null {
  const shared = new Set(others.map(({ hash }) => hash));
  return states
    .filter(({ hash }) => !shared.has(hash))
    .map(({ node }) => node.payload.usage ?? null)
    .reduce(sumUsage, null);
}

function diffRound(round: number, a: ChainState | undefined, b: ChainState | undefined): DiffRound {
  const changes = a && b ? differences(a.node.payload.meta, b.node.payload.meta) : [];
  return { round, relation: relationOf(a, b, changes), a: sideOf(a), b: sideOf(b), changes };
}

function relationOf(
  a: ChainState | undefined,
  b: ChainState | undefined,
  changes: readonly Difference[],
): DiffRound["relation"] {
  if (a === undefined || b === undefined) return "differs";
  if (a.hash === b.hash) return "shared";
  return roleOf(a.node) === roleOf(b.node) && changes.length === 0 ? "equal" : "differs";
}

function sideOf(state: ChainState | undefined): DiffSide | null {
  if (state === undefined) return null;
  const { role, group, meta, route } = state.node.payload;
  const member = group === undefined ? {} : { group };
  return { role, ...member, meta, stateHash: state.hash, condition: route?.condition ?? null };
}

function roleOf(node: StateNode): string {
  return node.payload.role;
}
