import { runHost, type Serving } from "@uncaged/workflow-host";
import { EXIT, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import { cliVersion } from "../command/cli-version.ts";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";

export type WorkerOptions = Omit<Serving, "version"> & {
  /** For steps under way after the first signal to end. */
  graceMs: number;
  /** null: no probes. */
  health: number | null;
};

/** Runs until it is drained. With `--json`, the only document says that it is up. */
export async function runWorker(
  { graceMs, health, ...serves }: WorkerOptions,
  io: Io,
): Promise<Result<Output, Failure>> {
  const root = storageRoot(io.env);
  const { first, second } = io.interruptions();
  const done = await runHost({
    ...{ root, health, packagesBase: import.meta.url, signal: second },
    serving: { ...serves, version: cliVersion() },
    drain: { signal: first, graceMs },
    say: (line) => void io.stderr.write(`${line}\n`),
    onUp: ({ process: { pid }, since, worker, health: port }) => {
      const { pools, labels } = serves;
      const text = io.json
        ? JSON.stringify({ worker, pid, since, pools, labels, health: port })
        : `worker ${worker} runs threads of ${pools.join(", ")}; drain it with Ctrl-C, or: uncaged-workflow worker drain ${worker}`;
      void io.stdout.write(`${text}\n`);
    },
  });
  if (!done.ok) return done;
  return ok({ streamed: true, exitCode: second.aborted ? EXIT.aborted : EXIT.success });
}
