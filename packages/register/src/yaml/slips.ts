/** Things that people type or paste which make a text unreadable as YAML, with the line as it should be. Each
 *  correction is tried out: only one after which the parser gets further than that line is suggested. */
import { type Document, parseDocument } from "yaml";
import {
  CORRECTIONS,
  type Correct,
  type Correction,
  indentation,
  type Neighbours,
  openQuote,
} from "./corrections.ts";
import type { Span } from "./faults.ts";

export type Slip = { span: Span; message: string; corrected: string };
type ParserError = Document["errors"][number];

/** Each attempt costs a parse; a file with more faults than this is fixed in two rounds. */
const MAX_PARSES = 24;
const MAX_CHARACTERS = 32 * 1024;
const MAX_LINE = 1_000;

/** How much is wrong with a text that can be parsed: of several corrections, the one that leaves least is chosen. */
export type Weigh = (text: string) => number;

/** The slips in file order, and what the parser still reports once they are corrected. */
export function findSlips(text: string, weigh: Weigh): { slips: Slip[]; left: ParserError[] } {
  const trial = new Trial(text, weigh);
  const slips: Slip[] = [];
  for (let slip = trial.correct(); slip !== null; slip = trial.correct()) slips.push(slip);
  return { slips, left: trial.errors };
}

type Tried = { at: number; correction: Correction; errors: ParserError[]; weight: number };

class Trial {
  errors: ParserError[];
  readonly #lines: string[];
  readonly #starts: readonly number[];
  readonly #weigh: Weigh;
  #parsesLeft: number;

  constructor(text: string, weigh: Weigh) {
    this.#lines = text.split("\n");
    this.#starts = startsOf(this.#lines);
    this.#weigh = weigh;
    this.#parsesLeft = text.length > MAX_CHARACTERS ? 0 : MAX_PARSES;
    this.errors = errorsOf(text);
  }

  /** Corrects the line of the first error, or a neighbouring one; null when nothing helps. */
  correct(): Slip | null {
    const [error] = this.errors;
    if (error === undefined) return null;
    const line = lineOf(this.#lines, error.pos[0]);
    for (const correct of CORRECTIONS) {
      const helpful = this.#places(correct, { line, error }).flatMap((place) =>
        this.#helpful(correct, place),
      );
      const [best] = helpful.sort((a, b) => a.weight - b.weight || oddness(a) - oddness(b));
      if (best === undefined) continue;
      const slip = slipOf(best.correction, {
        start: this.#starts[best.at] ?? 0,
        before: this.#lines[best.at] ?? "",
        error,
      });
      this.#lines[best.at] = best.correction.line;
      this.errors = best.errors;
      return slip;
    }
    return null;
  }

  /** The lines to look at, and how far the parser has to get for a correction to count. */
  #places(
    correct: Correct,
    { line, error }: { line: number; error: ParserError },
  ): { at: number; past: number }[] {
    if (correct === openQuote && error.code === "MISSING_CHAR") {
      // The parser only noticed at the end of the text that it is open.
      const opened = [...this.#lines.keys()].filter(
        (at) => openQuote(this.#lines[at] ?? "").length > 0,
      );
      return opened.slice(0, 4).map((at) => ({ at, past: at }));
    }
    const near = correct === indentation ? [line, line - 1, line + 1] : [line, line - 1];
    return near.map((at) => ({ at, past: Math.max(at, line) }));
  }

  /** The corrections of one line with which the parser gets past it. */
  #helpful(correct: Correct, { at, past }: { at: number; past: number }): Tried[] {
    const before = this.#lines[at];
    if (before === undefined || before.trim() === "" || before.length > MAX_LINE) return [];
    return correct(before, neighboursOf(this.#lines, at)).flatMap((correction) => {
      if (this.#parsesLeft === 0) return [];
      this.#parsesLeft -= 1;
      const text = this.#lines.with(at, correction.line).join("\n");
      const errors = errorsOf(text);
      const [next] = errors;
      if (next === undefined) return [{ at, correction, errors, weight: this.#weigh(text) }];
      if (lineOf(this.#lines.with(at, correction.line), next.pos[0]) <= past) return [];
      return [{ at, correction, errors, weight: UNREADABLE + errors.length }];
    });
  }
}

/** Nearly everybody indents by an even number of spaces. */
function oddness({ correction }: Tried): number {
  return correction.line.search(/\S|$/) % 2;
}

/** More than can be wrong with a text that is readable. */
const UNREADABLE = 1_000_000;

function slipOf(
  { message, line, from }: Correction,
  { start, before, error }: { start: number; before: string; error: ParserError | undefined },
): Slip {
  const width = before.slice(from).trimEnd().length;
  const said = typeof message === "string" ? message : message(error?.code ?? "");
  return {
    span: [start + from, start + from + Math.max(1, width)],
    message: said,
    corrected: line,
  };
}

function errorsOf(text: string): ParserError[] {
  const { errors } = parseDocument(text, {
    prettyErrors: false,
    uniqueKeys: false,
    version: "1.2",
  });
  return [...errors].sort((a, b) => a.pos[0] - b.pos[0]);
}

function startsOf(lines: readonly string[]): number[] {
  let start = 0;
  return lines.map((line) => {
    const here = start;
    start += line.length + 1;
    return here;
  });
}

function lineOf(lines: readonly string[], offset: number): number {
  let left = offset;
  for (const [at, line] of lines.entries()) {
    if (left <= line.length) return at;
    left -= line.length + 1;
  }
  return Math.max(0, lines.length - 1);
}

function neighboursOf(lines: readonly string[], line: number): Neighbours {
  const filled = (some: readonly string[]): string[] => some.filter((each) => each.trim() !== "");
  const near = [
    ...filled(lines.slice(0, line)).slice(-6),
    ...filled(lines.slice(line + 1)).slice(0, 6),
  ];
  return { indents: [...new Set(near.map((each) => (/^ */.exec(each)?.[0] ?? "").length))] };
}
