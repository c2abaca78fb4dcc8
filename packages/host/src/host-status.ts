import {
  type Engine,
  type HostState,
  hostState,
  observedStatus,
  runningHost,
} from "@uncaged/workflow-execute";
import { THREAD_STATUSES, type ThreadStatus } from "@uncaged/workflow-protocol";

export type HostStatus = {
  /** `since`: Unix milliseconds. null: none is up. */
  host: ({ pid: number; since: number } & HostState) | null;
  /** How many threads of the root have a status, whoever runs them. */
  threads: Partial<Record<ThreadStatus, number>>;
};

export async function hostStatus(
  engine: Pick<Engine, "root" | "store" | "now">,
): Promise<HostStatus> {
  const up = runningHost(engine.root);
  const state = up === null ? null : await hostState(engine.root);
  const threads: HostStatus["threads"] = {};
  for (const status of THREAD_STATUSES) threads[status] = 0;
  for (const thread of await engine.store.list({})) {
    const { status } = observedStatus(thread, engine.now());
    threads[status] = (threads[status] ?? 0) + 1;
  }
  if (up === null) return { host: null, threads };
  const { pid } = up.process;
  return { host: { pid, since: up.since, ...(state ?? { workers: [], resting: [] }) }, threads };
}
