import {
  isPersonWait,
  pendingInputOf,
  type ThreadRecord,
  waitsOf,
} from "@uncaged/workflow-protocol";
import { entry, promptHeader, shownRole } from "./context-text.ts";

/** Something between the last round and the next: a question by a role, a question to the person who plays the next
 *  role, or what a person said to the next role. */
export type ContextWaiting = {
  kind: "question" | "limit" | "asked" | "answer" | "person";
  /** The round that comes next. */
  round: number;
  /** Who asks or is answered; null: whichever role the table picks. */
  role: string | null;
  text: string;
};

export function contextWaiting(thread: ThreadRecord): ContextWaiting[] {
  const round = thread.stepCount + 1;
  const waiting: ContextWaiting[] = [];
  for (const wait of waitsOf(thread)) {
    const { role, message: text } = wait;
    // Between a worker and its coordinator.
    if (wait.kind === "coordinator") continue;
    const kind = isPersonWait(wait) ? "asked" : (wait.kind ?? "question");
    waiting.push({ kind, round, role, text });
  }
  const input = pendingInputOf(thread);
  switch (input?.kind) {
    case "answer":
      waiting.push({ kind: "answer", round, role: input.role, text: input.text });
      break;
    case "prompt":
      waiting.push({ kind: "person", round, role: null, text: input.text });
  }
  return waiting;
}

/** `whole` is the command that prints all of it. */
export function waitingText(
  { kind, round, role, text }: ContextWaiting,
  about: { room: number; whole: string },
): string {
  if (kind === "answer" || kind === "person")
    return entry(promptHeader(kind, round, role), text, about).text;
  if (kind === "asked")
    return entry(`[asked for #${round} ${shownRole(role ?? "")}]`, text, about).text;
  const what = kind === "limit" ? "stopped at a limit" : "question";
  return entry(`[${what} after #${round - 1} ${shownRole(role ?? "")}]`, text, about).text;
}
