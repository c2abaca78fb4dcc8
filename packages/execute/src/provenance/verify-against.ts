/** Proofs that involve a file from elsewhere: an attestation of a thread, or an export of one. */
import { constants } from "node:buffer";
import {
  type CheckReport,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { readRegularFile } from "@uncaged/workflow-util";
import { type KnownThread, storedThreads, type ThreadSource } from "../chain/thread-source.ts";
import type { Engine } from "../storage/engine.ts";
import { proveThread } from "../verify/verify-thread.ts";
import { readPublicKey } from "./attest-key.ts";
import { attestationProblems } from "./check-attestation.ts";
import { problemOf } from "./import-thread.ts";
import { openExport } from "./read-export.ts";

/** Absolute paths. */
export type AttestationFiles = { attestation: string; publicKey: string };

/** Proves a thread of this storage root and checks what an attestation says about it. `FILE_NOT_FOUND` or
 *  `KEY_INVALID`. */
export function verifyAttested(
  engine: Engine,
  thread: ThreadRecord,
  files: AttestationFiles,
): Promise<Result<CheckReport, Failure>> {
  return verifyIn(storedThreads(engine), thread, files);
}

/** Proves the thread in an export without storing or running it. `id`: its id, or any beginning or end of it. Without
 *  an attestation, the export itself says which descriptor its bundle has. */
export async function verifyExport(
  path: string,
  id: string,
  files: AttestationFiles | null,
): Promise<Result<CheckReport, Failure>> {
  const opened = await openExport(path);
  if (!opened.ok) return opened;
  const file = opened.value;
  try {
    const [thread] = file.threads;
    const part = id.toUpperCase();
    if (!thread.threadId.startsWith(part) && !thread.threadId.endsWith(part))
      return err(another(path, thread.threadId));
    const report = await verifyIn(file.source, thread, files);
    const problem = report.ok && report.value.ok ? await problemOf(file) : null;
    if (!report.ok || problem === null) return report;
    const problems = [{ code: "EXPORT_INVALID", hash: thread.head, message: problem }];
    return ok({ ok: false, checked: report.value.checked, problems });
  } finally {
    await file.close();
  }
}

async function verifyIn(
  source: ThreadSource,
  thread: KnownThread,
  files: AttestationFiles | null,
): Promise<Result<CheckReport, Failure>> {
  const publicKey = files === null ? null : await readPublicKey(files.publicKey);
  if (publicKey?.ok === false) return publicKey;
  const attestation = files === null ? null : await readAttestation(files.attestation);
  if (attestation?.ok === false) return attestation;
  const proof = await proveThread(source, thread);
  const { report } = proof;
  if (!report.ok || publicKey === null || attestation === null) return ok(report);
  const problems = await attestationProblems({ source, proof }, attestation.value, publicKey.value);
  return ok({ ...report, ok: problems.length === 0, problems });
}

async function readAttestation(path: string): Promise<Result<Buffer, Failure>> {
  const read = await readRegularFile(path, constants.MAX_STRING_LENGTH);
  if (read.ok) return read;
  const problem = read.error.absent ? "is not there" : read.error.problem;
  return err(failure("FILE_NOT_FOUND", `${path} ${problem}`, "give what `thread attest` wrote"));
}

function another(path: string, threadId: string): Failure {
  return failure(
    "THREAD_NOT_FOUND",
    `${path} holds thread ${threadId}`,
    `verify that with: uncaged-workflow thread verify ${threadId} --export ${JSON.stringify(path)}`,
  );
}
