import { printableOutput } from "../terminal/printable.ts";
import type { Sink } from "./io.ts";

/** Writes text for people, painted or plain. */
export function writeText(to: Sink, text: string): Promise<void> {
  return to.write(printableOutput(text));
}
