import type { ThreadStatus } from "@uncaged/workflow-protocol";
import type { Style } from "../../terminal/style.ts";

/** A status, or text that ends in one, in the status's colour. */
export function paintStatus(style: Style, status: ThreadStatus, text: string = status): string {
  return style[COLORS[status]](text);
}

const COLORS = {
  idle: "dim",
  queued: "yellow",
  running: "cyan",
  paused: "yellow",
  suspended: "yellow",
  completed: "green",
  failed: "red",
  aborted: "red",
} as const satisfies { [status in ThreadStatus]: keyof Style };
