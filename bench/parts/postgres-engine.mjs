/** The real engine in this process with its root in PostgreSQL, with the steady workflow. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openRootStore } from "@uncaged/workflow-cas";
import { openPostgresIndex } from "@uncaged/workflow-store-postgres";
import { openSteadyEngine } from "./steady-engine.mjs";

const BEAT_MS = 5_000;

/** `folder` gets what stays on the machine; threads, blobs and queue are in the database at `url`. */
export async function openSteadyEngineInPostgres(folder, url) {
  const local = await openSteadyEngine(folder, { store: "packed" });
  const index = await openPostgresIndex({ url, root: "bench" });
  const { threads, blobs, dispatch } = index;
  const dir = join(folder, "cas");
  mkdirSync(dir);
  const cas = openRootStore({ dir, table: blobs, threads, kind: "packed" });
  return {
    engine: { ...local, cas, dispatch, store: threads, keeper: beating(threads) },
    index,
    async close() {
      await threads.close();
      await local.store.close();
    },
  };
}

/** A keeper in this process: leases in PostgreSQL are renewed over its own connections. */
function beating(threads) {
  return {
    keep: ({ lease }) => {
      const renew = () =>
        threads.renew({ leases: [lease], ttlMs: 3 * BEAT_MS, nowMs: Date.now() }).catch(() => {});
      const timer = setInterval(renew, BEAT_MS);
      return { stop: () => clearInterval(timer), fault: () => null };
    },
    close: async () => {},
  };
}
