/** A conversation that outlives its step: `<home>/<session>.jsonl`.
 *
 *  1. A line is one round: a prompt, or a reply of the model with the results of all its tool calls. Servers refuse
 *     a history in which a call has no result, so a round is written when it is whole.
 *  2. A last line that a crash cut short counts for nothing: the round was not finished.
 *  3. The system's prompt and the tools are not in it: they are the role's, as it is when it plays. */
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChatMessage } from "@uncaged/workflow-reactor";
import { z } from "zod";
import { isErrno } from "./is-errno.ts";

export type SessionFile = {
  /** What was said so far. */
  messages: readonly ChatMessage[];
  add(round: readonly ChatMessage[]): Promise<void>;
};

/** Null: there is no such session. */
export async function openSession(home: string, session: string): Promise<SessionFile | null> {
  if (!SESSION.safeParse(session).success) return null;
  const file = join(home, `${session}.jsonl`);
  try {
    const lines = (await readFile(file, "utf8")).split("\n");
    return sessionFile(file, lines.filter((line) => line !== "").flatMap(readRound));
  } catch (thrown) {
    if (isErrno(thrown, "ENOENT")) return null;
    throw thrown;
  }
}

export async function newSession(home: string, session: string): Promise<SessionFile> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  return sessionFile(join(home, `${session}.jsonl`), []);
}

function sessionFile(file: string, earlier: readonly ChatMessage[]): SessionFile {
  const messages = [...earlier];
  return {
    messages,
    async add(round) {
      messages.push(...round);
      // The line break in front ends a line that a crash cut short.
      await appendFile(file, `\n${JSON.stringify(round)}\n`, { mode: 0o600 });
    },
  };
}

function readRound(line: string): ChatMessage[] {
  try {
    return ROUND.parse(JSON.parse(line));
  } catch {
    return [];
  }
}

const SESSION = z.uuid();

const ROUND: z.ZodType<ChatMessage[]> = z.array(
  z.discriminatedUnion("role", [
    z.object({ role: z.enum(["system", "user"]), content: z.string() }),
    z.object({
      role: z.literal("assistant"),
      content: z.string(),
      toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })),
    }),
    z.object({ role: z.literal("tool"), toolCallId: z.string(), content: z.string() }),
  ]),
);
