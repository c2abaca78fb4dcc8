import { printable } from "./printable.ts";

/** Puts a text from outside into one of ours so that none of its lines begins at the margin, and nothing in it ends
 *  a line or moves a cursor unseen. Two spaces off each line, and it is the text again. */
export function quotedText(text: string): string {
  return printable(text).replaceAll(/^(?=[^\n])/gm, "  ");
}
