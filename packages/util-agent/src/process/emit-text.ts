import type { AgentEvent } from "@uncaged/workflow-protocol";
import type { OutputLine } from "./line-reader.ts";

export type TextEmitter = {
  line(line: Pick<OutputLine, "text">): void;
  /** Emits what is still held back. */
  close(): void;
};

/** Emits a program's lines as `text` events: at most ten per second, and only the beginning of a flood, since nobody
 *  can read more, and the whole is kept elsewhere. */
export function textEmitter(
  emit: (event: AgentEvent) => void,
  opts: { everyMs?: number; maxChars?: number } = {},
): TextEmitter {
  const { everyMs = 100, maxChars = 8_192 } = opts;
  let waiting = "";
  let omitted = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const text = omitted === 0 ? waiting : `${waiting}[… ${omitted} more lines …]\n`;
    waiting = "";
    omitted = 0;
    if (text !== "") emit({ type: "text", text });
  };
  return {
    line: ({ text }) => {
      if (waiting.length >= maxChars) omitted++;
      else waiting += `${text.slice(0, maxChars)}\n`;
      timer ??= setTimeout(flush, everyMs);
    },
    close: flush,
  };
}
