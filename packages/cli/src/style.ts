import { randomUUID } from "node:crypto";
import { styleText } from "node:util";

/** Stands before each colour code of ours until it is written. Made anew by each process, so that no text from
 *  elsewhere can colour anything. */
export const OURS: string = randomUUID();

/** Colours for people; each function gives its text back unchanged where none are wanted, or nothing would show.
 *  What they make is no text for a terminal yet: `printableOutput` makes it one. */
export type Style = {
  bold: (text: string) => string;
  dim: (text: string) => string;
  red: (text: string) => string;
  green: (text: string) => string;
  yellow: (text: string) => string;
  cyan: (text: string) => string;
  /** Where the text will be shown; null: anywhere, so it must not depend on a width. */
  columns: number | null;
};

export function styleOf(sink: { color: boolean; columns: number | null }): Style {
  const paint = (format: Parameters<typeof styleText>[0]) => {
    const [on, off] = styleText(format, "|", { validateStream: false }).split("|");
    return (text: string) =>
      sink.color && text !== "" ? `${OURS}${on}${text}${OURS}${off}` : text;
  };
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    red: paint("red"),
    green: paint("green"),
    yellow: paint("yellow"),
    cyan: paint("cyan"),
    columns: sink.columns,
  };
}
