import {
  type Engine,
  type HostState,
  hostState,
  observedStatus,
  runningHost,
} from "@uncaged/workflow-execute";
import {
  type Schedule,
  type Schedules,
  THREAD_STATUSES,
  type ThreadStatus,
} from "@uncaged/workflow-protocol";

export type HostStatus = {
  /** `since`: Unix milliseconds. null: none is up. */
  host: ({ pid: number; since: number } & HostState) | null;
  /** The number of threads of the root by status, whoever runs them. */
  threads: Partial<Record<ThreadStatus, number>>;
  /** Listeners with pending notices. */
  notify: Undelivered[];
  /** The schedule that is due next; Unix milliseconds. null: there is none. */
  nextDue: { schedule: string; dueAt: number } | null;
};

/** `since`: of the oldest; `fault`: why the last attempt failed, null: none did. */
export type Undelivered = {
  listener: string;
  notices: number;
  since: number;
  fault: string | null;
};

export async function hostStatus(
  engine: Pick<Engine, "root" | "store" | "now">,
  schedules: Pick<Schedules, "list">,
): Promise<HostStatus> {
  const up = runningHost(engine.root);
  const state = up === null ? null : await hostState(engine.root);
  const threads: HostStatus["threads"] = {};
  for (const status of THREAD_STATUSES) threads[status] = 0;
  for (const thread of await engine.store.list({})) {
    const { status } = observedStatus(thread, engine.now());
    threads[status] = (threads[status] ?? 0) + 1;
  }
  const notify = await undelivered(engine);
  const nextDue = nextOf(await schedules.list());
  if (up === null) return { host: null, threads, notify, nextDue };
  const { pid } = up.process;
  const host = { pid, since: up.since, ...(state ?? { workers: [], resting: [] }) };
  return { host, threads, notify, nextDue };
}

/** By listener, the longest waiting one first. */
export async function undelivered({ store }: Pick<Engine, "store">): Promise<Undelivered[]> {
  const listeners = new Map<string, Undelivered>();
  for (const { listener, at, fault } of await store.notices({})) {
    const before = listeners.get(listener) ?? { listener, notices: 0, since: at, fault: null };
    listeners.set(listener, {
      ...before,
      notices: before.notices + 1,
      fault: before.fault ?? fault,
    });
  }
  return [...listeners.values()];
}

function nextOf(schedules: readonly Schedule[]): HostStatus["nextDue"] {
  return schedules
    .flatMap(({ name, nextAt, pausedAt }) =>
      nextAt === null || pausedAt !== null ? [] : [{ schedule: name, dueAt: nextAt }],
    )
    .reduce<HostStatus["nextDue"]>(
      (first, each) => (first === null || each.dueAt < first.dueAt ? each : first),
      null,
    );
}
