/** Live output without secrets. */
import type { AgentEvent } from "@uncaged/workflow-protocol";
import { redactJson } from "./redact-json.ts";

const HOLD_MS = 250;
const HOLD_CHARS = 4_096;

export type SafeEmit = {
  emit(event: AgentEvent): void;
  /** Emits what still waits. */
  close(): void;
};

/** Takes secrets out of events. Agents print their text piece by piece, and a secret may be cut anywhere: the
 *  last word of a piece waits for the next one, for a moment. */
export function safeEmit(
  emit: (event: AgentEvent) => void,
  redact: (text: string) => string,
): SafeEmit {
  let held = "";
  let timer: NodeJS.Timeout | undefined;
  const say = (text: string): void => {
    if (text !== "") emit({ type: "text", text: redact(text) });
  };
  const close = (): void => {
    clearTimeout(timer);
    timer = undefined;
    say(held);
    held = "";
  };
  return {
    emit(event) {
      if (event.type !== "text") {
        close();
        emit(redacted(event, redact));
        return;
      }
      const text = held + event.text;
      const word = text.length - lastWordLength(text);
      say(text.slice(0, word));
      held = text.slice(word);
      clearTimeout(timer);
      timer = setTimeout(close, HOLD_MS);
    },
    close,
  };
}

/** Characters after the last blank; 0 when that is no word any more. */
function lastWordLength(text: string): number {
  for (let length = 0; length < HOLD_CHARS; length++) {
    const char = text[text.length - 1 - length];
    if (char === undefined || /\s/.test(char)) return length;
  }
  return 0;
}

function redacted(
  event: Exclude<AgentEvent, { type: "text" }>,
  redact: (text: string) => string,
): AgentEvent {
  switch (event.type) {
    case "tool":
      return event.phase === "start" ? { ...event, input: redactJson(event.input, redact) } : event;
    case "permission":
    case "retry":
    case "end":
      return { ...event, reason: redact(event.reason) };
    default:
      return event;
  }
}
