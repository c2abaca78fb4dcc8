import type { AgentEvent } from "@uncaged/workflow-protocol";

export type TextFlow = {
  push(text: string): void;
  /** Emits what is still held back. */
  flush(): void;
};

const EVERY_MS = 100;
const MOST_CHARS = 8_192;

/** Emits an answer that arrives in small pieces as `text` events: at most ten per second, and only the beginning of
 *  a flood, since nobody can read more. */
export function textFlow(emit: (event: AgentEvent) => void): TextFlow {
  let waiting = "";
  let omitted = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const text = omitted === 0 ? waiting : `${waiting}[… ${omitted} characters left out …]`;
    waiting = "";
    omitted = 0;
    if (text !== "") emit({ type: "text", text: text.toWellFormed() });
  };
  return {
    push(text) {
      const room = Math.max(0, MOST_CHARS - waiting.length);
      waiting += text.slice(0, room);
      omitted += Math.max(0, text.length - room);
      timer ??= setTimeout(flush, EVERY_MS);
    },
    flush,
  };
}
