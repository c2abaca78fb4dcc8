import type { Notice, PendingNotice, ThreadStore } from "@uncaged/workflow-protocol";
import { REMEMBERED_MS } from "./notices.ts";

type Kept = PendingNotice & { toldAt: number | null };

/** The notices of a store in memory. `record`: for a thread that was just suspended or has just ended. */
export function memoryNotices(): Pick<
  ThreadStore,
  "listen" | "notices" | "settleNotice" | "putOffNotice"
> & { record: (notices: readonly Notice[]) => void } {
  let listeners: readonly string[] = [];
  let kept: Kept[] = [];
  const find = (listener: string, id: string): Kept | undefined =>
    kept.find((each) => each.listener === listener && each.id === id);
  return {
    record: (notices) => {
      for (const notice of notices) {
        const { id, event, at, threadId, workflow, labels } = notice;
        const body = JSON.stringify(notice);
        for (const listener of listeners) {
          if (find(listener, id) !== undefined) continue;
          const open = { body, attempts: 0, dueAt: at, fault: null, toldAt: null };
          kept.push({ listener, id, event, at, threadId, workflow, labels, ...open });
        }
      }
    },
    async listen(names) {
      listeners = names;
      kept = kept.filter(({ listener }) => names.includes(listener));
    },
    async notices({ listener, dueBy, limit }) {
      return kept
        .filter(({ toldAt }) => toldAt === null)
        .filter((each) => listener === undefined || each.listener === listener)
        .filter(({ dueAt }) => dueBy === undefined || dueAt <= dueBy)
        .sort((a, b) => a.at - b.at || compare(a.listener, b.listener) || compare(a.id, b.id))
        .slice(0, limit)
        .map(({ toldAt: _, ...pending }) => pending);
    },
    async settleNotice({ listener, id, nowMs }) {
      const notice = find(listener, id);
      if (notice?.toldAt === null) Object.assign(notice, { toldAt: nowMs });
      kept = kept.filter(({ toldAt }) => toldAt === null || toldAt >= nowMs - REMEMBERED_MS);
    },
    async putOffNotice({ listener, id, dueAt, fault }) {
      const notice = find(listener, id);
      if (notice?.toldAt !== null) return;
      notice.attempts += 1;
      Object.assign(notice, { dueAt, fault });
    },
  };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
