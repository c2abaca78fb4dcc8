import { styleText } from "node:util";

/** Precedes each of our colour codes until it is written. It differs from process to process and is never shown, so no
 *  outside text can colour anything. Not from `node:crypto`: loading that takes every command 5 ms. */
export const OURS: string = `ours-${randomDigits()}${randomDigits()}-`;

function randomDigits(): string {
  return Math.random().toString(36).slice(2);
}

/** Colours for people; each function returns its text unchanged where none are wanted, or nothing would show. The
 *  result is not yet safe for a terminal: `printableOutput` makes it so. */
export type Style = {
  bold: (text: string) => string;
  dim: (text: string) => string;
  red: (text: string) => string;
  green: (text: string) => string;
  yellow: (text: string) => string;
  cyan: (text: string) => string;
  /** Width of the terminal; null: the text may be shown anywhere, so it must not depend on a width. */
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
