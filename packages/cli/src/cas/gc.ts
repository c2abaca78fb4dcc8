import { collectStorage } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import { count } from "../command/count.ts";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";
import { withProgress } from "../command/with-progress.ts";

/** `graceMs` null: the default. */
export async function collect(
  opts: { dryRun: boolean; graceMs: number | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  const { dryRun } = opts;
  const report = await withEngine(io, (engine) =>
    withProgress(io, "looking for blobs that no thread reaches", () =>
      collectStorage(engine, { dryRun, graceMs: opts.graceMs }),
    ),
  );
  return ok({ document: { ...report, dryRun }, human: () => sentence(report, dryRun) });
}

type Report = Awaited<ReturnType<typeof collectStorage>>;

function sentence(report: Report, dryRun: boolean): string {
  const threads = count(report.scannedThreads, "thread");
  const kept = `${threads} ${report.scannedThreads === 1 ? "reaches" : "reach"} ${count(report.activeRefs, "blob")}`;
  const dead = count(report.setAside, "dead blob");
  const old = report.deletedEntries;
  const back =
    report.restoredEntries === 0 ? "" : `; ${count(report.restoredEntries, "older one")} restored`;
  const { installs, evidence } = report.checks;
  const unused =
    installs + evidence === 0
      ? ""
      : `; of checks ${count(installs, "install")} and ${count(evidence, "record")} that nobody used`;
  if (dryRun) {
    const gone = old === 0 ? "" : ` and ${count(old, "older one")} deleted for good`;
    return `${kept}; ${dead} would be set aside${gone}${unused} (nothing was changed)`;
  }
  const gone = old === 0 ? "" : `; ${count(old, "older one")} deleted for good`;
  return `${kept}; ${dead} set aside${gone}${back}${unused}`;
}
