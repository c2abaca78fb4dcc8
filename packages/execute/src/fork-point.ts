/** Where in a thread's chain a fork parts from it. */
import {
  END,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { type Chain, type ChainState, roleStates } from "./chain.ts";

export type ForkPoint =
  /** The last step. */
  | { kind: "head" }
  /** Step n, 1-based; 0: the start, before any step. */
  | { kind: "step"; step: number }
  /** The last step of this role. */
  | { kind: "role"; role: string };

/** `chain`: as far as the point. */
export type PointOfChain = { hash: string; stepCount: number; chain: Chain };

/** `USAGE` when the thread has no such step. */
export function pointIn(
  chain: Chain,
  thread: ThreadRecord,
  from: ForkPoint,
): Result<PointOfChain, Failure> {
  const states = roleStates(chain);
  if (from.kind === "head") return ok(pointAt(chain, states, states.length));
  if (from.kind === "step") {
    if (from.step <= states.length) return ok(pointAt(chain, states, from.step));
    return err(
      failure(
        "USAGE",
        `thread ${thread.threadId} has no step ${from.step}; it has ${states.length}`,
        "steps count from 1; 0 is the start",
      ),
    );
  }
  const index = states.findLastIndex((state) => state.node.payload.role === from.role);
  if (index >= 0) return ok(pointAt(chain, states, index + 1));
  const roles = [...new Set(states.map((state) => state.node.payload.role))].join(", ");
  return err(
    failure(
      "USAGE",
      `thread ${thread.threadId} has no step of role ${JSON.stringify(from.role)}`,
      `its roles so far: ${roles}`,
    ),
  );
}

function pointAt(chain: Chain, states: readonly ChainState[], step: number): PointOfChain {
  const state = states[step - 1];
  // Upgrades between this step and the next belong to the next: a fork goes on as the step itself was made,
  // but at the head, which has them behind it.
  const atHead = step === states.length;
  const kept = chain.states.filter(({ node }) => node.payload.role !== END);
  const end = atHead ? kept.length : state === undefined ? 0 : kept.indexOf(state) + 1;
  const upTo = kept.slice(0, end);
  const hash = upTo.at(-1)?.hash ?? chain.startHash;
  return { hash, stepCount: step, chain: { ...chain, states: upTo } };
}
