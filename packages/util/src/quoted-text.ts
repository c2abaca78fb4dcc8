import { printable } from "./printable.ts";

/** Embeds a text from outside in one of ours, so that none of its lines begins at the margin, and nothing in it ends
 *  a line or moves a cursor invisibly. Removing two spaces from each line restores the text. */
export function quotedText(text: string): string {
  return printable(text).replaceAll(/^(?=[^\n])/gm, "  ");
}
