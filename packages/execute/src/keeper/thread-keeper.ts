/** Keeps the leases of this process on a worker thread that no workflow, agent or rule can block.
 *
 *  1. One worker thread for all leases, started with the first; it does not keep the process alive.
 *  2. It has its own connection to the index. It only posts interruptions to the main thread.
 *  3. When the main thread does not respond, it ends the process (`keeper-main`).
 *  4. When it fails itself, nothing renews the leases any more: the work is interrupted and reports that.
 *  5. A guard ends what a lease started if this process is killed. */
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { type Failure, failure, type Lease } from "@uncaged/workflow-protocol";
import { type StartGuard, startGuard } from "../processes/guard.ts";
import type { Interruption } from "./interruption.ts";
import type { Keeper } from "./keeper.ts";
import { type FromKeeper, leaseKey, type ToKeeper } from "./keeper-messages.ts";

// Resolved from the package's root, so that it also works when the sources are run directly.
const KEEPER: string = fileURLToPath(new URL("../../dist/keeper/keeper-main.js", import.meta.url));
/** Enough for a database connection and a few leases. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

type Held = { lease: Lease; interrupt: (reason: Interruption) => void; fault: Failure | null };

export function threadKeeper(root: string, guard: StartGuard = startGuard): Keeper {
  const held = new Map<string, Held>();
  let running: { worker: Worker; ended: Promise<void> } | null = null;

  const failed = (why: string): void => {
    running = null;
    for (const each of held.values()) {
      each.fault = notKept(each.lease, why);
      each.interrupt("lease-lost");
    }
    held.clear();
  };
  const start = (): { worker: Worker; ended: Promise<void> } => {
    // Without the process's own `--import` modules: those are for bundles.
    const opts = { workerData: { root }, execArgv: [], resourceLimits: LIMITS };
    const worker = new Worker(KEEPER, opts);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    worker.on("message", (message: FromKeeper) => {
      if (message.kind === "ask") worker.postMessage({ kind: "here" } satisfies ToKeeper);
      else held.get(leaseKey(message))?.interrupt(message.reason);
    });
    worker.on("error", (cause) => {
      if (running?.worker === worker) failed(messageOf(cause));
    });
    worker.on("exit", (code) => {
      if (running?.worker === worker) failed(`exit code ${code}`);
      resolve();
    });
    worker.unref();
    return { worker, ended };
  };
  const tell = (message: ToKeeper): void => running?.worker.postMessage(message);

  return {
    keep: ({ lease, ageMs, replaced, interrupt }) => {
      const key = leaseKey(lease);
      const mine: Held = { lease, interrupt, fault: null };
      held.set(key, mine);
      const guarded = guard(lease);
      try {
        running ??= start();
        tell({ kind: "keep", lease, ageMs, replaced });
      } catch (cause) {
        failed(messageOf(cause));
      }
      return {
        stop: () => {
          guarded.dismiss();
          held.delete(key);
          tell({ kind: "drop", threadId: lease.threadId, fence: lease.fence });
        },
        fault: () => mine.fault,
      };
    },
    close: async () => {
      if (running === null) return;
      const { worker, ended } = running;
      tell({ kind: "close" });
      running = null;
      worker.ref();
      await ended;
    },
  };
}

function notKept({ threadId }: Lease, why: string): Failure {
  return failure(
    "LEASE_LOST",
    `nothing keeps the lease of thread ${threadId} any more: the worker thread that did has ended (${why})`,
    `no finished step is lost; continue with: uncaged-workflow thread resume ${threadId}`,
  );
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
