import { printable, printableLine } from "@uncaged/workflow-util";
import { OURS } from "./style.ts";

export { printable, printableLine };

/** A whole output with its colours: any other control sequence is made visible, wherever it came from. Only our own
 *  colour codes pass. */
export function printableOutput(text: string): string {
  return text
    .split(COLOR_CODE)
    .map((part, at) => (at % 2 === 1 ? part : printable(part)))
    .join("");
}

const ESCAPE = "\u001b";
const COLOR_CODE = new RegExp(`${OURS}(${ESCAPE}\\[\\d{1,2}m)`);
