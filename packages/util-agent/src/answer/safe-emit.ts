/** Live output with secrets removed. */
import type { AgentEvent } from "@uncaged/workflow-protocol";
import type { Redactor } from "@uncaged/workflow-util";
import { redactJson } from "./redact-json.ts";

const HOLD_MS = 250;

export type SafeEmit = {
  emit(event: AgentEvent): void;
  /** Emits what is still held back. */
  close(): void;
};

/** Removes secrets from events. Agents print their text in pieces, and a secret may be split anywhere: what may be
 *  the beginning of one is held back until more arrives, even after an event of another kind; any other word only
 *  for a moment. */
export function safeEmit(emit: (event: AgentEvent) => void, redact: Redactor): SafeEmit {
  let stream = redact.stream();
  let timer: NodeJS.Timeout | undefined;
  const say = (text: string): void => {
    if (text !== "") emit({ type: "text", text });
  };
  const pause = (): void => {
    clearTimeout(timer);
    timer = undefined;
    say(stream.pause());
  };
  const close = (): void => {
    clearTimeout(timer);
    timer = undefined;
    say(stream.end());
    stream = redact.stream();
  };
  return {
    emit(event) {
      if (event.type !== "text") {
        if (event.type === "end") close();
        else pause();
        emit(redacted(event, redact));
        return;
      }
      say(stream.push(event.text));
      clearTimeout(timer);
      timer = setTimeout(pause, HOLD_MS);
    },
    close,
  };
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
