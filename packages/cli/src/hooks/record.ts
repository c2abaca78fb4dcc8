/** Records a tool call of a session that a person started.
 *
 *  1. It never fails and prints nothing: whatever is wrong here, the person's session continues.
 *  2. Secrets from our environment are removed before anything is stored, and texts are shortened, as for the steps
 *     of a thread.
 *  3. A session run by the engine is recorded by the engine. */
import { readEndedCall } from "@uncaged/workflow-agent-claude-code/ended-call";
import {
  type Failure,
  isThreadId,
  ok,
  PROCESS_TAG_ENV,
  type Result,
  type ToolCallRecord,
} from "@uncaged/workflow-protocol";
import { evidenceBook, redactor } from "@uncaged/workflow-util-agent";
import { withStore } from "../cas/open-store.ts";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { readStdin } from "../command/read-text.ts";
import { appendCall, isSessionId } from "./session-log.ts";

const SUBJECT_CHARS = 500;

export async function record(io: Io): Promise<Result<Output, Failure>> {
  const hash = io.env[PROCESS_TAG_ENV] ? null : await kept(io).catch(() => null);
  return ok({ document: { hash }, verbatim: "" });
}

/** Hash of the record; null when stdin does not describe a call that has ended. */
async function kept(io: Io): Promise<string | null> {
  const told = readEndedCall(JSON.parse(await readStdin(io.stdin)), io.now());
  if (told === null || !isSessionId(told.session)) return null;
  const redact = redactor({ env: io.env });
  const hash = await store(told.call, redact, io);
  if (hash === null) return null;
  const { timestamp, name, kind, subject, ok: succeeded, exitCode, durationMs } = told.call;
  const threadId = io.env.UNCAGED_THREAD_ID ?? "";
  await appendCall(io.env, told.session, {
    timestamp,
    threadId: isThreadId(threadId) ? threadId : null,
    name,
    kind,
    subject: redact(subject).slice(0, SUBJECT_CHARS).toWellFormed(),
    ok: succeeded,
    exitCode,
    durationMs,
    hash,
  });
  return hash;
}

async function store(
  call: ToolCallRecord,
  redact: (text: string) => string,
  io: Io,
): Promise<string | null> {
  const { hashes } = await withStore(io, "write", (cas) => {
    const book = evidenceBook({ cas, requirements: [], cwd: io.cwd, redact });
    book.seen(call);
    return book.kept();
  });
  return hashes[0] ?? null;
}
