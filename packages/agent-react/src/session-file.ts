/** A conversation that outlives its step: `<home>/<session>.jsonl`.
 *
 *  1. A line is one round: a prompt, or a reply of the model with the results of all its tool calls. Servers refuse
 *     a history in which a call has no result, so a round is written when it is whole.
 *  2. A last line that a crash cut short counts for nothing: the round was not finished.
 *  3. It contains no secrets: the model that resumes it has seen them, the file has not.
 *  4. The system's prompt and the tools are not in it: they are the role's, as it is when it plays. */
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "@uncaged/workflow-protocol";
import type { ChatMessage } from "@uncaged/workflow-reactor";
import { z } from "zod";
import { isErrno } from "./is-errno.ts";

export type SessionFile = {
  /** What was said so far. */
  messages: readonly ChatMessage[];
  add(round: readonly ChatMessage[]): Promise<void>;
};

/** Null: there is no such session. */
export async function openSession(
  home: string,
  session: string,
  redact: (text: string) => string,
): Promise<SessionFile | null> {
  if (!SESSION.safeParse(session).success) return null;
  const file = join(home, `${session}.jsonl`);
  try {
    const lines = (await readFile(file, "utf8")).split("\n");
    const rounds = lines.filter((line) => line !== "").flatMap(readRound);
    return sessionFile(file, rounds, redact);
  } catch (thrown) {
    if (isErrno(thrown, "ENOENT")) return null;
    throw thrown;
  }
}

export async function newSession(
  home: string,
  session: string,
  redact: (text: string) => string,
): Promise<SessionFile> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  return sessionFile(join(home, `${session}.jsonl`), [], redact);
}

function sessionFile(
  file: string,
  earlier: readonly ChatMessage[],
  redact: (text: string) => string,
): SessionFile {
  const messages = [...earlier];
  return {
    messages,
    async add(round) {
      messages.push(...round);
      // The line break in front ends a line that a crash cut short.
      await appendFile(
        file,
        `\n${JSON.stringify(round.map((message) => kept(message, redact)))}\n`,
        { mode: 0o600 },
      );
    },
  };
}

/** As it is written down: what a tool printed may hold secrets, and so may what the model made of it. */
function kept(message: ChatMessage, redact: (text: string) => string): ChatMessage {
  const content = redact(message.content);
  if (message.role !== "assistant") return { ...message, content };
  const toolCalls = message.toolCalls.map((call) => {
    const text = redact(call.arguments);
    // Servers refuse a history with arguments that are no JSON.
    return { ...call, arguments: text === "" || isJson(text) ? text : "{}" };
  });
  return { ...message, content, toolCalls };
}

function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
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
