import type { ChatCompletionRequest, ChatMessage } from "@copilotkit/aimock";
import { type Mark, readScript } from "./script.ts";

/** What the model says after it has submitted an answer with a tool; no mark stands for it. */
export const HANDED_IN = "It is handed in.";

/** Returns the script that a user message stands for; a text without marks when there is none. */
export type ScriptOf = (message: string) => string;

/** What this call of the model should do; null: the conversation has no script, as when an agent asks for a title.
 *  `failures` counts, by mark, how often a failing one has failed. */
export function nextMark(
  request: ChatCompletionRequest,
  scriptOf: ScriptOf,
  failures: Map<string, number>,
): Mark | "handed in" | null {
  const scriptIn = (message: ChatMessage): Mark[] =>
    message.role === "user" ? readScript(scriptOf(textOf(message))) : [];
  const at = request.messages.findLastIndex((each) => scriptIn(each).length > 0);
  const prompt = request.messages[at];
  if (prompt === undefined || (request.tools ?? []).length === 0) return null;
  const since = request.messages.slice(at + 1);
  if (awaitsLastWords(since)) return "handed in";
  const script = scriptIn(prompt);
  const done = since.filter((each) => each.role === "assistant" && textOf(each) !== HANDED_IN);
  return standing(script, done.length, textOf(prompt), failures);
}

/** Failing marks leave nothing in the conversation, so they do not count as answered calls. After the last mark it
 *  is repeated, like a model that does not learn. */
function standing(
  script: readonly Mark[],
  answered: number,
  key: string,
  failures: Map<string, number>,
): Mark | null {
  let left = answered;
  for (const [at, mark] of script.entries()) {
    if ("times" in mark) {
      const id = `${at} ${key}`;
      const failed = failures.get(id) ?? 0;
      if (left > 0 || failed >= mark.times) continue;
      failures.set(id, failed + 1);
      return mark;
    }
    if (left === 0) return mark;
    left -= 1;
  }
  return script.at(-1) ?? null;
}

/** A call of the tool for structured output that was accepted. */
function awaitsLastWords(since: readonly ChatMessage[]): boolean {
  const last = since.at(-1);
  if (last?.role !== "tool") return false;
  const call = since
    .flatMap((each) => each.tool_calls ?? [])
    .find((each) => each.id === last.tool_call_id);
  return (
    call !== undefined &&
    ANSWER_TOOLS.includes(call.function.name) &&
    !/does not match|invalid|must (be|have)|error/i.test(textOf(last))
  );
}

/** Tools with which agents accept a structured answer. */
export const ANSWER_TOOLS: readonly string[] = [
  "StructuredOutput",
  "structured_output",
  // agent-react
  "submit_result",
];

function textOf(message: ChatMessage): string {
  if (typeof message.content === "string") return message.content;
  return (message.content ?? []).map((part) => part.text ?? "").join("");
}
