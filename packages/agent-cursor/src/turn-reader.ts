/** Reads the Cursor agent's output in one turn.
 *
 *  1. Its last event is `result`; a turn that fails may end without one.
 *  2. Some versions do not exit after it: `onResult` starts the wait for that. */
import { type AgentStep, jsonLines, type OutputLine } from "@uncaged/workflow-util-agent";
import { type CursorEvent, cursorEvent } from "./cursor-event.ts";
import { type CursorCall, cursorCall, toolCallRecord, wasRejected } from "./tool-call.ts";

export type TurnLog = {
  session: string | null;
  /** What the agent said last. */
  text: string;
  result: { isError: boolean; text: string } | null;
  denials: number;
  /** Lines of stdout that are not events: an error may be among them. */
  noise: readonly string[];
};

export type TurnReader = {
  onLine: (line: OutputLine) => void | Promise<void>;
  log(): TurnLog;
};

export function turnReader(
  step: Pick<AgentStep, "emit" | "seen">,
  on: { session: (id: string) => void; result: () => void },
): TurnReader {
  const known: Omit<TurnLog, "noise"> = { session: null, text: "", result: null, denials: 0 };
  const ended = (id: string, call: CursorCall): void => {
    const record = toolCallRecord(call, { id, nowMs: Date.now() });
    step.emit({ type: "tool", phase: "end", id, name: call.name, ok: record.ok });
    step.seen(record);
    if (!wasRejected(call)) return;
    known.denials++;
    const reason = "Cursor's own permissions refused it";
    step.emit({ type: "permission", tool: call.name, allowed: false, reason });
  };
  const hear = (event: CursorEvent): void => {
    switch (event.type) {
      case "system":
        known.session = event.session_id;
        on.session(event.session_id);
        break;
      case "assistant":
        known.text = event.text;
        step.emit({ type: "text", text: `${event.text}\n` });
        break;
      case "tool_call": {
        const call = cursorCall(event.tool_call);
        const id = event.call_id.trim();
        if (call === null) break;
        if (event.subtype === "completed") ended(id, call);
        else step.emit({ type: "tool", phase: "start", id, name: call.name, input: call.input });
        break;
      }
      case "result":
        known.result = { isError: event.is_error, text: event.result };
        known.session = event.session_id ?? known.session;
        on.result();
    }
  };
  const lines = jsonLines((object) => {
    const event = cursorEvent(object);
    if (event !== null) hear(event);
  });
  return { onLine: lines.line, log: () => ({ ...known, noise: lines.noise().latest }) };
}
