import type { JsonObject, JsonValue } from "@uncaged/workflow-protocol";

/** A word as any POSIX shell reads it back. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The command that does the same: `uwf answer 01M8… approved=true`. */
export function answerCommand(threadId: string, meta: JsonObject, member?: number): string {
  const plain = Object.values(meta).every((value) => isPlain(value));
  const words = plain
    ? Object.entries(meta).map(([name, value]) => shellWord(`${name}=${String(value)}`))
    : [shellWord(JSON.stringify(meta))];
  const whose = member === undefined ? [] : ["--member", String(member)];
  return ["uwf", "answer", threadId, ...whose, ...words].join(" ");
}

const isPlain = (value: JsonValue): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";
