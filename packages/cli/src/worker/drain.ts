import { setTimeout as sleep } from "node:timers/promises";
import { type Engine, runningHost } from "@uncaged/workflow-execute";
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type WorkerRecord,
} from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";

const LOOK_EVERY_MS = 250;

/** Asks a worker to drain; with `wait`, stays until it has ended. Aborting ends the wait only. */
export async function drainWorker(
  { which, wait }: { which: string | null; wait: boolean },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withEngine(io, async (engine) => {
    const found = chosen(engine, await engine.workers.list(engine.now()), which);
    if (!found.ok) return found;
    const { worker } = found.value;
    await engine.workers.drain({ worker, nowMs: engine.now() });
    const ended = wait ? await hasEnded(engine, worker, io.interruption()) : ok(false);
    if (!ended.ok) return ended;
    return ok({
      document: { worker, ended: ended.value },
      human: () => (ended.value ? `worker ${worker} has ended` : `worker ${worker} drains`),
    });
  });
}

function chosen(
  { root }: Pick<Engine, "root">,
  workers: readonly WorkerRecord[],
  which: string | null,
): Result<WorkerRecord, Failure> {
  const host = runningHost(root)?.process;
  const found = workers.filter(({ worker, process }) =>
    which === null
      ? process.pid === host?.pid && process.startedAt === host.startedAt
      : worker === which || worker.startsWith(which) || worker.endsWith(which),
  );
  const exact = found.find(({ worker }) => worker === which);
  const [first, second] = exact === undefined ? found : [exact];
  if (first === undefined) return err(workerNotFound(which));
  if (second === undefined) return ok(first);
  const names = found.map(({ worker }) => worker).join(", ");
  return err(failure("USAGE", `${which} can be each of ${names}`, "say more of its name"));
}

async function hasEnded(
  { workers, now }: Pick<Engine, "workers" | "now">,
  worker: string,
  signal: AbortSignal,
): Promise<Result<true, Failure>> {
  while ((await workers.list(now())).some((each) => each.worker === worker)) {
    if (signal.aborted) return err(notWaitedFor(worker));
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return ok(true);
}

export function workerNotFound(which: string | null): Failure {
  const words =
    which === null ? "no worker of this storage root runs here" : `no worker is called ${which}`;
  return failure("WORKER_NOT_FOUND", words, "see: uncaged-workflow worker list");
}

function notWaitedFor(worker: string): Failure {
  return failure(
    "THREAD_ABORTED",
    `worker ${worker} drains, but waiting for its end was interrupted`,
    "see: uncaged-workflow worker list",
  );
}
