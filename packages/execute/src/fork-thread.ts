import { sha256Hex } from "@uncaged/workflow-cas";
import {
  err,
  type Failure,
  failure,
  type Limits,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { newThreadId } from "@uncaged/workflow-util";
import { type Chain, type ChainState, loadChain, roleStates } from "./chain.ts";
import type { Engine } from "./engine.ts";
import { readBlob } from "./read-node.ts";
import { spawnRunner } from "./spawn-runner.ts";

export type ForkPoint =
  /** The last step. */
  | { kind: "head" }
  /** Step n, 1-based; 0: the start, before any step. */
  | { kind: "step"; step: number }
  /** The last step of this role. */
  | { kind: "role"; role: string };

export type Fork = { thread: ThreadRecord; forkedFrom: { threadId: string; stateHash: string } };

/** Makes a new thread that shares the old one's nodes up to the fork point, which is kept, and goes on from
 *  there. Nothing is copied. The old thread may be in any state and is not touched. */
export async function forkThread(
  engine: Engine,
  thread: ThreadRecord,
  opts: {
    from: ForkPoint;
    /** Name in `config.agents` of the agent that plays every further step; null: as in the old thread. */
    agent: string | null;
    /** Besides those of the old thread; null: as there. */
    limits: Limits | null;
    run: "background" | "idle";
  },
): Promise<Result<Fork, Failure>> {
  const chain = await loadChain(engine.cas, thread);
  const point = pointIn(chain, thread, opts.from);
  if (!point.ok) return point;
  const { hash, stepCount } = point.value;
  const forkedFrom = { threadId: thread.threadId, stateHash: hash };
  const nowMs = engine.now();
  const { thread: made } = await engine.store.create(
    {
      threadId: newThreadId(nowMs),
      workflow: thread.workflow,
      bundleHash: thread.bundleHash,
      startHash: thread.startHash,
      head: hash,
      headSha256: sha256Hex(await readBlob(engine.cas, hash)),
      stepCount,
      depth: thread.depth,
      parentThread: null,
      cwd: thread.cwd,
      limits: opts.limits === null ? thread.limits : { ...thread.limits, ...opts.limits },
      agent: opts.agent ?? thread.agent,
      forkedFrom,
      startedAt: thread.startedAt,
      createdAt: nowMs,
    },
    null,
  );
  if (opts.run === "background") {
    const runner = await spawnRunner(engine, made.threadId);
    if (!runner.ok) return runner;
  }
  return ok({ thread: made, forkedFrom });
}

type Point = { hash: string; stepCount: number };

function pointIn(chain: Chain, thread: ThreadRecord, from: ForkPoint): Result<Point, Failure> {
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

function pointAt(chain: Chain, states: readonly ChainState[], step: number): Point {
  return { hash: states[step - 1]?.hash ?? chain.startHash, stepCount: step };
}
