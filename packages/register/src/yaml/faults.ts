/** Collects what is wrong with a text, and reports it so that a person can act on it: place, words, the line itself. */
import { type Failure, failure } from "@uncaged/workflow-protocol";

/** Offsets into the text; the end is after the last character. */
export type Span = readonly [start: number, end: number];

export type Faults = {
  /** `corrected` is the line as it should be, when that is certain. */
  add(span: Span, message: string, corrected?: string): void;
  readonly count: number;
  /** In text order. */
  all(): { span: Span; message: string }[];
  /** One failure for all of them, in text order; null when there is none. */
  failure(): Failure | null;
};

/** More would only be scrolled past: most are consequences of the first. */
const MAX_SHOWN = 50;
const MAX_LINE = 120;

/** `place` is the file's name in messages. */
export function collectFaults(source: { text: string; place: string }): Faults {
  const found = new Map<string, Fault>();
  return {
    add(span, message, corrected) {
      found.set(`${span[0]} ${message}`, { span, message, corrected: corrected ?? null });
    },
    get count() {
      return found.size;
    },
    all: () =>
      [...found.values()]
        .sort((a, b) => a.span[0] - b.span[0])
        .map(({ span, message }) => ({ span, message })),
    failure() {
      if (found.size === 0) return null;
      const sorted = [...found.values()].sort((a, b) => a.span[0] - b.span[0]);
      const shown = sorted.slice(0, MAX_SHOWN).map((fault) => faultText(fault, source));
      if (sorted.length > MAX_SHOWN) shown.push(`… and ${sorted.length - MAX_SHOWN} more`);
      const count = sorted.length === 1 ? "one fault" : `${sorted.length} faults`;
      return failure(
        "YAML_INVALID",
        `${source.place} has ${count}\n${shown.join("\n")}`,
        "correct the file at the shown places and run the command again; nothing was changed",
      );
    },
  };
}

type Fault = { span: Span; message: string; corrected: string | null };

function faultText(
  { span: [start, end], message, corrected }: Fault,
  { text, place }: { text: string; place: string },
): string {
  const before = text.slice(0, start).split("\n");
  const line = before.length;
  const col = (before.at(-1)?.length ?? 0) + 1;
  const whole = text.slice(start - (col - 1)).split(/\r?\n/, 1)[0] ?? "";
  // A long line is shown from shortly before the fault.
  const from = col <= MAX_LINE ? 0 : col - 40;
  const shown = whole.slice(from, from + MAX_LINE).replaceAll("\t", " ");
  const width = Math.max(
    1,
    Math.min(end - start, whole.length - (col - 1), MAX_LINE - (col - 1 - from)),
  );
  const number = String(line).padStart(5);
  const marks = `${" ".repeat(col - 1 - from)}${"^".repeat(width)}`;
  // A long line is not shown completely, and neither is its correction.
  const write =
    corrected === null || corrected.length > MAX_LINE || corrected.trim() === ""
      ? ""
      : `\nwrite | ${corrected}`;
  return `${place}:${line}:${col}: ${message}\n${number} | ${shown}\n      | ${marks}${write}`;
}
