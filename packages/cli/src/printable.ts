import { printable, printableLine } from "@uncaged/workflow-util";

export { printable, printableLine };

/** A whole output with its colours: whatever else would steer the terminal is shown, wherever in it it came from.
 *  Codes of colours are all that is let through, and only where colours are wanted. */
export function printableOutput(text: string, { color }: { color: boolean }): string {
  if (!color) return printable(text);
  return text
    .split(COLOR_CODE)
    .map((part, at) => (at % 2 === 1 ? part : printable(part)))
    .join("");
}

const ESCAPE = "\u001b";
const COLOR_CODE = new RegExp(`(${ESCAPE}\\[\\d{1,2}m)`);
