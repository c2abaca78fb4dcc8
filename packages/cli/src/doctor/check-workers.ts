import { existsSync } from "node:fs";
import { queuedThreads, runningHost } from "@uncaged/workflow-execute";
import type { Placement } from "@uncaged/workflow-protocol";
import { isShared, storagePaths } from "@uncaged/workflow-util";
import { cliVersion } from "../command/cli-version.ts";
import { count } from "../command/count.ts";
import { isPlain, serves, startFor } from "../command/who-serves.ts";
import { withEngine } from "../command/with-engine.ts";
import { printableLine } from "../terminal/printable.ts";
import { type Check, type DoctorContext, doubtful, fine } from "./check.ts";

const NAME = "workers";

/** Checks that some worker serves what is queued, that all are there, and of one version. */
export async function checkWorkers({ root, env }: DoctorContext): Promise<Check> {
  if (!isShared(root) && !existsSync(storagePaths(root).index)) return fine(NAME, "none");
  const { workers, queued } = await withEngine({ env }, async (engine) => ({
    workers: await engine.workers.list(engine.now()),
    queued: await queuedThreads(engine),
  }));
  const up = workers.filter(({ stale }) => !stale);
  // A host of this machine alone is the business of `limits`.
  const isLocal = !isShared(root) && runningHost(root) === null;
  const unserved = queued.filter(
    (thread) => !(isLocal && isPlain(thread)) && !up.some((worker) => serves(worker, thread)),
  );
  const [first] = unserved;
  if (first !== undefined) {
    const message = `${count(unserved.length, "thread")} queued, and no worker serves ${inWords(first)}`;
    return doubtful(NAME, message, startFor(first));
  }
  const silent = workers.filter(({ stale }) => stale).map(({ worker }) => worker);
  if (silent.length > 0)
    return doubtful(
      NAME,
      `silent: ${silent.join(", ")}`,
      "look at their machines; they are forgotten after five minutes",
    );
  const own = cliVersion();
  const others = up.filter(({ version }) => version !== own);
  if (others.length > 0) {
    const named = others.map(({ worker, version }) => `${worker} (${printableLine(version, 20)})`);
    return doubtful(
      NAME,
      `of other versions than this, ${own}: ${named.join(", ")}`,
      "bring all machines to the same version, one after the other: uncaged-workflow worker drain <worker> --wait",
    );
  }
  return fine(NAME, up.length === 0 ? "none" : `${up.length} up, all of version ${own}`);
}

function inWords({ pool, needs }: Placement): string {
  return [`pool ${pool}`, ...needs.map((label) => `label ${label}`)].join(", ");
}
