import { styleText } from "node:util";

/** Colours for people; each function gives its text back unchanged where none are wanted, or nothing would show. */
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
  const paint = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    sink.color && text !== "" ? styleText(format, text, { validateStream: false }) : text;
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
