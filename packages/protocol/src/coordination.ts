/** What a coordinating step writes into the chain while it is under way: nodes that are no rounds. They belong to the
 *  round that comes after them. */
import type { CoordinatorSession } from "./coordinates.ts";
import type { Limits } from "./limits.ts";
import type { Usage } from "./step-run.ts";

/** How a worker stands at an end: `waiting` with a question that the coordinator may answer. */
export const WORKER_ENDS = ["completed", "failed", "killed", "waiting"] as const;
export type WorkerEnd = (typeof WORKER_ENDS)[number];

/** The meta of a coordination node. `worker`: `w1`, `w2`, … in the order of their starts, per coordinating step. */
export type CoordinationNote =
  | {
      /** Before the worker's thread exists, whose start node names this node. Content: what it is asked to do. */
      kind: "spawn";
      worker: string;
      title: string;
      workflow: string;
      /** Name in `config.agents`; null: whoever the workflow binds. */
      agent: string | null;
      /** Empty: workers share what they may use. Older versions dealt each of them a part. */
      limits: Pick<Limits, "tokens" | "costUsd">;
    }
  | {
      /** The worker goes on. Content: what it is told. */
      kind: "message";
      worker: string;
      /** Steps that its thread had: with more of them, it has heard. */
      steps: number;
    }
  | { /** The coordinator ends it. */ kind: "stop"; worker: string }
  | {
      /** A worker's end, before anybody was told. `childThread`: its thread. Content: the notification. */
      kind: "ended";
      worker: string;
      /** 1, and one more with each message to it. */
      turn: number;
      status: WorkerEnd;
      /** One line. */
      summary: string;
      usage: Usage | null;
    }
  | {
      /** Before the agent is told. Content: the whole message. */
      kind: "delivered";
      /** `w1.1`: worker and turn. */
      notices: readonly string[];
    }
  | ({ /** A turn of the agent has ended. */ kind: "turn" } & CoordinatorSession);
