/** Where a fork leaves its thread's chain.
 *
 *  1. The point is found through the skip list: forking costs the same, however long the thread. A thread that was
 *     upgraded is read completely, because its states do not map to its rounds one to one.
 *  2. Upgrades between this step and the next belong to the next: a fork continues with the version that made the step,
 *     except at the head, where it has the upgrades behind it. */
import { ancestorAt } from "@uncaged/workflow-cas";
import {
  END,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { isNote, loadChain, roleStates } from "../chain/chain.ts";
import { type NodeReader, readNode } from "../chain/read-node.ts";
import { ancestorsIn, type RoundEnds, roundEnds } from "../chain/round-ends.ts";
import { versionAfter } from "../chain/upgrades.ts";
import { type ChainState, walkChain } from "../chain/walk-chain.ts";

export type ForkPoint =
  /** The last step. */
  | { kind: "head" }
  /** Step n, 1-based; 0: the start, before any step. */
  | { kind: "step"; step: number }
  /** The last step of this role. */
  | { kind: "role"; role: string };

export type PointOfChain = {
  hash: string;
  stepCount: number;
  /** Version of the workflow that the thread ran there: hash of the bundle. */
  version: string;
};

/** `USAGE` when the thread has no such step. Throws when what it reads is damaged. */
export async function findPoint(
  cas: NodeReader,
  thread: ThreadRecord,
  from: ForkPoint,
): Promise<Result<PointOfChain, Failure>> {
  const ends = await roundEnds(cas, thread);
  const path = ends === null ? await readPath(cas, thread) : skipPath(cas, thread, ends);
  const step = await stepOf(path, thread, from);
  return step.ok ? ok(await path.pointAt(step.value)) : step;
}

/** The rounds of a thread, as far as a fork needs them. */
type Path = {
  rounds: number;
  /** Searches the rounds, newest first. */
  roles(): AsyncIterable<string>;
  pointAt(step: number): Promise<PointOfChain>;
};

function skipPath(cas: NodeReader, thread: ThreadRecord, { last }: RoundEnds): Path {
  const { startHash, stepCount: rounds } = thread;
  return {
    rounds,
    async *roles() {
      for await (const { node } of walkChain(cas, { startHash, head: last }))
        yield node.payload.role;
    },
    async pointAt(step) {
      const start = await readNode(cas, startHash, "start");
      const found =
        step === 0 ? startHash : await ancestorAt(last, rounds - step, ancestorsIn(cas));
      return { hash: found ?? startHash, stepCount: step, version: start.payload.hash };
    },
  };
}

async function readPath(cas: NodeReader, thread: ThreadRecord): Promise<Path> {
  const chain = await loadChain(cas, thread);
  const rounds = roleStates(chain);
  return {
    rounds: rounds.length,
    async *roles() {
      for (const { node } of rounds.toReversed()) yield node.payload.role;
    },
    async pointAt(step) {
      const state = rounds[step - 1];
      const kept = chain.states.filter(({ node }) => node.payload.role !== END);
      // Workers belong to the thread that started them: their step begins anew.
      const atHead = step === rounds.length && !kept.slice(indexAfter(kept, state)).some(isNote);
      const end = atHead ? kept.length : indexAfter(kept, state);
      const upTo = { ...chain, states: kept.slice(0, end) };
      const hash = upTo.states.at(-1)?.hash ?? chain.startHash;
      return { hash, stepCount: step, version: versionAfter(upTo).hash };
    },
  };
}

function indexAfter(states: readonly ChainState[], state: ChainState | undefined): number {
  return state === undefined ? 0 : states.indexOf(state) + 1;
}

async function stepOf(
  path: Path,
  { threadId }: ThreadRecord,
  from: ForkPoint,
): Promise<Result<number, Failure>> {
  if (from.kind === "head") return ok(path.rounds);
  if (from.kind === "step") {
    if (from.step <= path.rounds) return ok(from.step);
    return err(
      failure(
        "USAGE",
        `thread ${threadId} has no step ${from.step}; it has ${path.rounds}`,
        "steps count from 1; 0 is the start",
      ),
    );
  }
  const others: string[] = [];
  for await (const role of path.roles()) {
    if (role === from.role) return ok(path.rounds - others.length);
    others.push(role);
  }
  return err(
    failure(
      "USAGE",
      `thread ${threadId} has no step of role ${JSON.stringify(from.role)}`,
      `its roles so far: ${[...new Set(others.reverse())].join(", ")}`,
    ),
  );
}
