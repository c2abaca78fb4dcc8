/** The port in memory, for tests. */
import {
  FIRINGS_KEPT,
  type Firing,
  isOpenFiring,
  type Schedule,
  type Schedules,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { nameTaken } from "./name-taken.ts";

export function memorySchedules(): Schedules {
  const schedules = new Map<string, Schedule>();
  const firings = new Map<string, Map<number, Firing>>();
  const of = (name: string): Map<number, Firing> => firings.get(name) ?? new Map();
  const inOrder = (name: string, which: (firing: Firing) => boolean = () => true): Firing[] =>
    [...of(name).values()].filter(which).sort((a, b) => a.dueAt - b.dueAt);
  const record = (name: string, given: readonly Firing[]): Firing[] => {
    const recorded = given.filter(({ dueAt }) => {
      const known = of(name).get(dueAt);
      return known === undefined || startedNothing(known);
    });
    for (const firing of recorded) of(name).set(firing.dueAt, { ...firing, schedule: name });
    return recorded;
  };
  return {
    async add(schedule) {
      const { name } = schedule;
      if (schedules.has(name)) throw new WorkflowError(nameTaken("schedule", name));
      schedules.set(name, { ...schedule, pausedAt: null });
      firings.set(name, new Map());
    },
    get: async (name) => schedules.get(name) ?? null,
    list: async () => [...schedules.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    async pause({ name, nowMs }) {
      const found = schedules.get(name);
      if (found === undefined || found.pausedAt !== null) return false;
      schedules.set(name, { ...found, pausedAt: nowMs });
      return true;
    },
    async resume({ name, nextAt }) {
      const found = schedules.get(name);
      if (found === undefined || found.pausedAt === null) return false;
      schedules.set(name, { ...found, pausedAt: null, nextAt });
      return true;
    },
    async remove(name) {
      firings.delete(name);
      return schedules.delete(name);
    },
    async settle({ name, from, nextAt, firings: given }) {
      const found = schedules.get(name);
      if (found === undefined || found.pausedAt !== null || found.nextAt !== from) return false;
      schedules.set(name, { ...found, nextAt });
      record(name, given);
      const closed = inOrder(name, (firing) => !isOpenFiring(firing));
      for (const { dueAt } of closed.slice(0, -FIRINGS_KEPT)) of(name).delete(dueAt);
      return true;
    },
    insert: async (name, given) => (schedules.has(name) ? record(name, given) : []),
    async move({ schedule, dueAt, from, to }) {
      const found = of(schedule).get(dueAt);
      if (found?.state !== from) return false;
      const { notBefore, overlap } = found;
      of(schedule).set(dueAt, { schedule, dueAt, notBefore, overlap, ...to });
      return true;
    },
    open: async (name) => inOrder(name, isOpenFiring),
    firings: async (name, limit) => inOrder(name).reverse().slice(0, limit),
    close: async () => {},
  };
}

function startedNothing({ state }: Firing): boolean {
  return state === "skipped" || state === "missed" || state === "failed";
}
