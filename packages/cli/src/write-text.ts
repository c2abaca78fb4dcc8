import type { Sink } from "./io.ts";
import { printableOutput } from "./printable.ts";

/** Writes text for people, painted or plain. */
export function writeText(to: Sink, text: string): Promise<void> {
  return to.write(printableOutput(text));
}
