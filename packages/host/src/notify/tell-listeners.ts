/** Tells the listeners of `config.notify` what happened to threads.
 *
 *  1. Notices were recorded with the change itself (`ThreadStore.listen`), whoever made it. Here they are only
 *     delivered, and settled after that: a host that is killed in between delivers again, with the same id.
 *  2. Each listener gets one notice at a time, and none waits for another. No thread waits for a listener.
 *  3. A failed delivery is retried, with twice the delay each time, as long as its listener is configured. */
import type { Engine } from "@uncaged/workflow-execute";
import { failureFrom, type PendingNotice } from "@uncaged/workflow-protocol";
import { type ListenerSettings, resolveKey, variablesOf } from "@uncaged/workflow-register";
import { printableLine } from "@uncaged/workflow-util";
import type { Delivery } from "./delivery.ts";
import { isWanted } from "./is-wanted.ts";
import { type Listeners, listenersOf } from "./listeners-of.ts";
import { runCommand } from "./run-command.ts";
import { sendWebhook } from "./send-webhook.ts";

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 15 * 60_000;
/** How many notices are read at once. */
const BATCH = 100;
const FAULT_CHARS = 300;

export type Telling = {
  /** From now on, notices for the configured listeners are recorded. */
  listen: () => Promise<void>;
  /** Delivers what is due. Resolves once every listener was tried; one that is still busy is left alone. */
  look: () => Promise<void>;
};

export function tellListeners(
  engine: Pick<Engine, "root" | "store" | "now">,
  opts: { signal: AbortSignal; say: (line: string) => void; env: NodeJS.ProcessEnv },
): Telling {
  const { root, store, now } = engine;
  const { signal, say } = opts;
  const listeners = listenersOf(root);
  const busy = new Set<string>();
  let known: string | null = null;
  let lastFault: string | null = null;

  const attempt = (to: ListenerSettings["to"], notice: PendingNotice): Delivery => {
    if (to.kind === "command")
      return runCommand(to.words, notice, { cwd: root, env: opts.env, signal });
    const secret = resolveKey(to.secret, "the secret", variablesOf(root, opts.env));
    if (!secret.ok) {
      const fault = secret.error.message;
      return Promise.resolve({ ok: false, error: { fault, retryAfterMs: null } });
    }
    return sendWebhook({ ...to, secret: secret.value }, notice, { nowMs: now(), signal });
  };

  const tell = async (settings: ListenerSettings, notice: PendingNotice): Promise<void> => {
    const { listener, id, attempts } = notice;
    const told = isWanted(settings, notice) ? await attempt(settings.to, notice) : null;
    // An attempt cut off by our own shutdown says nothing about the listener.
    if (signal.aborted && told?.ok !== true) return;
    if (told === null || told.ok) return store.settleNotice({ listener, id, nowMs: now() });
    const fault = printableLine(told.error.fault, FAULT_CHARS);
    if (attempts === 0) say(`${listener} could not be told of ${notice.threadId}: ${fault}`);
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** attempts, LONGEST_DELAY_MS);
    const asked = Math.min(told.error.retryAfterMs ?? 0, LONGEST_DELAY_MS);
    const dueAt = now() + Math.max(delayMs, asked);
    await store.putOffNotice({ listener, id, dueAt, fault });
  };

  const tellAll = async (listener: string, settings: ListenerSettings): Promise<void> => {
    if (busy.has(listener)) return;
    busy.add(listener);
    try {
      while (true) {
        const due = await store.notices({ listener, dueBy: now(), limit: BATCH });
        for (const notice of due) {
          if (signal.aborted) return;
          await tell(settings, notice);
        }
        if (due.length < BATCH) return;
      }
    } finally {
      busy.delete(listener);
    }
  };

  const listen = async (): Promise<Listeners> => {
    const found = await listeners();
    if (!found.ok) {
      // Nobody is notified while the file is broken; what is pending is delivered once it is valid.
      if (lastFault !== found.error.message) say(found.error.message);
      lastFault = found.error.message;
      return new Map();
    }
    lastFault = null;
    const names = [...found.value.keys()].sort();
    if (known !== JSON.stringify(names)) await store.listen(names);
    known = JSON.stringify(names);
    return found.value;
  };

  return {
    listen: async () => {
      await listen();
    },
    look: async () => {
      const all = [...(await listen())].map(([listener, settings]) => tellAll(listener, settings));
      for (const outcome of await Promise.allSettled(all))
        if (outcome.status === "rejected")
          say(failureFrom(outcome.reason, "STORAGE_FAILED").message);
    },
  };
}
