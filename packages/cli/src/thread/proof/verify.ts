import { resolve } from "node:path";
import {
  type AttestationFiles,
  verifyAttested,
  verifyExport,
  verifyThread,
} from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { checkOutput } from "../../command/render-check.ts";
import { withThread } from "../../command/with-engine.ts";
import { withProgress } from "../../command/with-progress.ts";

export async function verify(
  what: {
    id: string;
    /** File with the thread; null: the storage root has it. */
    exported: string | null;
    against: AttestationFiles | null;
  },
  io: Io,
): Promise<Result<Output, Failure>> {
  const inCwd = (path: string): string => resolve(io.cwd, path);
  const files = what.against && {
    attestation: inCwd(what.against.attestation),
    publicKey: inCwd(what.against.publicKey),
  };
  if (what.exported !== null) {
    const file = inCwd(what.exported);
    const report = await withProgress(io, VERIFYING, () => verifyExport(file, what.id, files));
    return report.ok ? ok(checkOutput(report.value, "node")) : report;
  }
  return withThread(io, what.id, async (engine, thread) => {
    if (files === null) {
      const report = await withProgress(io, VERIFYING, () => verifyThread(engine, thread));
      return ok(checkOutput(report, "node"));
    }
    const report = await withProgress(io, VERIFYING, () => verifyAttested(engine, thread, files));
    return report.ok ? ok(checkOutput(report.value, "node")) : report;
  });
}

const VERIFYING = "verifying every node";
