import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { printableLine } from "../terminal/printable.ts";
import { renderTable } from "../terminal/render-table.ts";
import { ago } from "../terminal/times.ts";
import { findSessions, listSessions, readCalls, type SessionCall } from "./session-log.ts";

const SUBJECT_COLUMNS = 80;

/** The sessions, or one session's tool calls. */
export async function log(beginning: string | null, io: Io): Promise<Result<Output, Failure>> {
  if (beginning === null) return sessions(io);
  const [session, another] = await findSessions(io.env, beginning);
  if (session === undefined) return err(noSession(`no session ${beginning} was recorded`));
  if (another !== undefined) return err(noSession(`several sessions begin with ${beginning}`));
  const calls = await readCalls(io.env, session);
  return ok({ document: { session, calls }, human: () => callTable(calls, io.now()) });
}

async function sessions(io: Io): Promise<Result<Output, Failure>> {
  const found = await listSessions(io.env);
  const human = (): string =>
    found.length === 0
      ? "nothing was recorded; see: uncaged-workflow hooks install --help"
      : renderTable(found, [
          { title: "SESSION", cell: ({ session }) => session },
          { title: "THREAD", cell: ({ threadId }) => threadId ?? "-" },
          { title: "CALLS", cell: ({ calls }) => String(calls), align: "right" },
          { title: "LAST", cell: ({ lastAt }) => ago(lastAt, io.now()) },
        ]);
  return ok({ document: { sessions: found }, human });
}

function callTable(calls: readonly SessionCall[], nowMs: number): string {
  return renderTable(calls, [
    { title: "ENDED", cell: ({ timestamp }) => ago(timestamp, nowMs) },
    { title: "TOOL", cell: ({ name }) => printableLine(name, 30) },
    { title: "OK", cell: ({ ok: succeeded }) => (succeeded ? "yes" : "no") },
    { title: "EXIT", cell: ({ exitCode }) => String(exitCode ?? "-"), align: "right" },
    { title: "RECORD", cell: ({ hash }) => hash },
    { title: "ABOUT", cell: ({ subject }) => printableLine(subject, SUBJECT_COLUMNS) },
  ]);
}

function noSession(message: string): Failure {
  return failure("USAGE", message, "see: uncaged-workflow hooks log");
}
