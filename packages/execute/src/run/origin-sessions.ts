/** Agent sessions in a fork's chain that belong to the thread it was forked from.
 *
 *  1. Continuing such a session would write into the other thread's session. The fork may continue a copy, as long as
 *     the other thread has not used the session since: otherwise the copy would know what came after the fork.
 *  2. When in doubt, the answer is no: the other thread is running, was removed or poked, cannot be read, or is a fork
 *     itself. */
import type { ThreadRecord } from "@uncaged/workflow-protocol";
import { type Chain, roleStates } from "../chain/chain.ts";
import { walkChain } from "../chain/walk-chain.ts";
import type { Engine } from "../storage/engine.ts";
import { lookAtThread } from "../watch/look-at-thread.ts";

export type OriginSessions = {
  /** Whether another thread had this session. */
  has(session: string): boolean;
  /** Whether that thread has not used it since the fork point. */
  isAsItWas(session: string): Promise<boolean>;
};

/** `chain`: the thread's whole chain. */
export function originSessions(
  engine: Pick<Engine, "cas" | "store" | "now">,
  thread: Pick<ThreadRecord, "forkedFrom" | "createdAt">,
  chain: Chain,
): OriginSessions {
  const sessions = new Set(
    sharedStates(thread, chain).flatMap(({ node }) => node.payload.session ?? []),
  );
  return {
    has: (session) => sessions.has(session),
    async isAsItWas(session) {
      // If another thread cannot be read, that is not this thread's fault.
      const later = await sessionsSince(engine, thread.forkedFrom).catch(() => null);
      return later !== null && !later.has(session);
    },
  };
}

function sharedStates(
  { forkedFrom, createdAt }: Pick<ThreadRecord, "forkedFrom" | "createdAt">,
  chain: Chain,
): Chain["states"] {
  if (forkedFrom === null) return [];
  const states = roleStates(chain);
  const at = states.findIndex(({ hash }) => hash === forkedFrom.stateHash);
  if (at !== -1) return states.slice(0, at + 1);
  // A poke of the fork replaced the state where it left the other thread.
  return states.filter(({ node }) => node.payload.timestamp <= createdAt);
}

/** Sessions of the other thread's steps after the fork point; null: unknown. */
async function sessionsSince(
  engine: Pick<Engine, "cas" | "store" | "now">,
  forkedFrom: ThreadRecord["forkedFrom"],
): Promise<Set<string> | null> {
  const origin = forkedFrom === null ? null : await lookAtThread(engine, forkedFrom.threadId);
  if (origin === null || origin.status === "running" || origin.thread.forkedFrom !== null) {
    return null;
  }
  const later = new Set<string>();
  for await (const { hash, node } of walkChain(engine.cas, origin.thread)) {
    if (hash === forkedFrom?.stateHash) return later;
    if (node.payload.session != null) later.add(node.payload.session);
  }
  return null;
}
