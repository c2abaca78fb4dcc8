import { resolve } from "node:path";
import {
  type AttestationFiles,
  verifyAttested,
  verifyExport,
  verifyThread,
} from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { checkOutput } from "../render-check.ts";
import { withThread } from "../with-engine.ts";

export async function verify(
  what: {
    id: string;
    /** File that holds the thread; null: the storage root does. */
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
    const report = await verifyExport(inCwd(what.exported), what.id, files);
    return report.ok ? ok(checkOutput(report.value, "node")) : report;
  }
  return withThread(io, what.id, async (engine, thread) => {
    if (files === null) return ok(checkOutput(await verifyThread(engine, thread), "node"));
    const report = await verifyAttested(engine, thread, files);
    return report.ok ? ok(checkOutput(report.value, "node")) : report;
  });
}
