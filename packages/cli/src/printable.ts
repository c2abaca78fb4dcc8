import { printable, printableLine } from "@uncaged/workflow-util";
import { OURS } from "./style.ts";

export { printable, printableLine };

/** A whole output with its colours: whatever else would steer the terminal is shown, wherever in it it came from.
 *  Our own codes of colours are all that is let through. */
export function printableOutput(text: string): string {
  return text
    .split(COLOR_CODE)
    .map((part, at) => (at % 2 === 1 ? part : printable(part)))
    .join("");
}

const ESCAPE = "\u001b";
const COLOR_CODE = new RegExp(`${OURS}(${ESCAPE}\\[\\d{1,2}m)`);
