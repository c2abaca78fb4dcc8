/** What the hooks recorded of sessions that people start: one file per session, one line per tool call, in the
 *  storage root's `sessions`. Lines are short; the full record of a call is a blob, whose hash is in the line. */
import { constants } from "node:buffer";
import { appendFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { TOOL_KINDS, type ToolKind } from "@uncaged/workflow-protocol";
import {
  APPEND_NOW,
  isErrno,
  readRegularFile,
  storagePaths,
  storageRoot,
} from "@uncaged/workflow-util";
import { z } from "zod";
import type { Io } from "../command/io.ts";

export type SessionCall = {
  /** Unix milliseconds when it ended. */
  timestamp: number;
  /** From the environment in which the person started the session; null: none. */
  threadId: string | null;
  name: string;
  kind: ToolKind;
  subject: string;
  ok: boolean;
  exitCode: number | null;
  durationMs: number | null;
  /** Hash of the full record. */
  hash: string;
};

export type SessionSummary = {
  session: string;
  threadId: string | null;
  calls: number;
  /** Unix milliseconds. */
  lastAt: number;
};

const ENDING = ".jsonl";

/** A session id comes from outside: only ids that are safe as file names are accepted. */
export function isSessionId(text: string): boolean {
  return /^[A-Za-z0-9][\w-]{0,127}$/.test(text);
}

/** Lines of hooks that run at the same time do not mix: each is one short append. */
export async function appendCall(
  env: Io["env"],
  session: string,
  call: SessionCall,
): Promise<void> {
  const folder = folderOf(env);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const line = `${JSON.stringify(call)}\n`;
  await appendFile(join(folder, `${session}${ENDING}`), line, {
    mode: 0o600,
    flag: APPEND_NOW,
  });
}

/** The latest first. */
export async function listSessions(env: Io["env"]): Promise<SessionSummary[]> {
  const sessions = await sessionNames(env);
  const summaries = await Promise.all(
    sessions.map(async (session): Promise<SessionSummary[]> => {
      const calls = await readCalls(env, session);
      const last = calls.at(-1);
      if (last === undefined) return [];
      const { threadId, timestamp: lastAt } = last;
      return [{ session, threadId, calls: calls.length, lastAt }];
    }),
  );
  return summaries.flat().sort((a, b) => b.lastAt - a.lastAt);
}

/** Sessions whose id begins with this. */
export async function findSessions(env: Io["env"], beginning: string): Promise<string[]> {
  return (await sessionNames(env)).filter((session) => session.startsWith(beginning));
}

/** In the order in which they ended; a line cut short by a full disk is left out. */
export async function readCalls(env: Io["env"], session: string): Promise<SessionCall[]> {
  const file = join(folderOf(env), `${session}${ENDING}`);
  const read = await readRegularFile(file, constants.MAX_STRING_LENGTH);
  const text = read.ok ? read.value.toString("utf8") : "";
  return text.split("\n").flatMap((line) => callIn(line) ?? []);
}

async function sessionNames(env: Io["env"]): Promise<string[]> {
  try {
    return (await readdir(folderOf(env)))
      .filter((name) => name.endsWith(ENDING))
      .map((name) => name.slice(0, -ENDING.length));
  } catch (thrown) {
    if (isErrno(thrown, "ENOENT")) return [];
    throw thrown;
  }
}

function folderOf(env: Io["env"]): string {
  return join(storagePaths(storageRoot(env)).root, "sessions");
}

function callIn(line: string): SessionCall | null {
  try {
    return CALL.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

const CALL: z.ZodType<SessionCall> = z.object({
  timestamp: z.number(),
  threadId: z.string().nullable(),
  name: z.string(),
  kind: z.enum(TOOL_KINDS),
  subject: z.string(),
  ok: z.boolean(),
  exitCode: z.number().nullable(),
  durationMs: z.number().nullable(),
  hash: z.string(),
});
