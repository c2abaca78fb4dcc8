/** For each kind of slip: what a line may have been meant to be, the likeliest first. */
export type Correction = {
  line: string;
  /** Column at which it goes wrong, from 0. */
  from: number;
  /** From the parser's code, where it depends on that. */
  message: string | ((code: string) => string);
};

export type Neighbours = {
  /** The indentation of the surrounding lines, in spaces. */
  indents: readonly number[];
};

export type Correct = (line: string, near: Neighbours) => Correction[];

/** The most certain first: a character that YAML does not know comes before what may be a matter of layout. */
export const CORRECTIONS: readonly Correct[] = [
  copiedFence,
  typographicQuotes,
  foreignSpaces,
  foreignColon,
  tabs,
  missingSpace,
  openBrackets,
  openQuote,
  indentation,
  unquoted,
];

function copiedFence(line: string): Correction[] {
  if (!/^\s*(?:```|~~~)/.test(line)) return [];
  const message =
    "this line is not part of the workflow but of where it was copied from; remove it";
  return [{ line: "", from: 0, message }];
}

function typographicQuotes(line: string): Correction[] {
  const from = line.search(/[“”„‟«»‘’‚]/);
  if (from < 0) return [];
  const message = "typographic quotes mean nothing here; type straight ones";
  const straight = line.replace(/[“”„‟«»]/g, '"').replace(/[‘’‚]/g, "'");
  return [{ line: straight, from, message }];
}

function foreignSpaces(line: string): Correction[] {
  const from = line.search(/[\u00a0\u2000-\u200b\u202f\u3000]/);
  if (from < 0) return [];
  const message =
    "this is a special space, as web pages and word processors use it; type a plain one";
  const plain = line.replace(/\u200b/g, "").replace(/[\u00a0\u2000-\u200a\u202f\u3000]/g, " ");
  return [{ line: plain, from, message }];
}

function foreignColon(line: string): Correction[] {
  const from = line.search(/[：﹕∶]/);
  if (from < 0) return [];
  const message = "this only looks like a colon; type a colon and a space";
  return [{ line: line.replace(/[：﹕∶]\s*/, ": "), from, message }];
}

function tabs(line: string, { indents }: Neighbours): Correction[] {
  const [indent = ""] = /^[ \t]*/.exec(line) ?? [];
  if (!indent.includes("\t")) return [];
  const widths = [...indents].sort((a, b) => b - a);
  const message = "there is a tab in the indentation; use spaces";
  const from = indent.indexOf("\t");
  return widths.map((width) => ({
    line: " ".repeat(width) + line.slice(indent.length),
    from,
    message,
  }));
}

function missingSpace(line: string): Correction[] {
  const [, before = "", key = "", value = ""] =
    /^(\s*(?:- +)?)([\w$-]+):([^\s:/].*)$/.exec(line) ?? [];
  if (key === "") return [];
  const message = "a space is missing after the colon";
  return [{ line: `${before}${key}: ${value}`, from: before.length, message }];
}

function openBrackets(line: string): Correction[] {
  const open: { closing: string; at: number }[] = [];
  for (const { 0: sign, index } of line.matchAll(/[[\]{}]/g)) {
    if (sign === "[" || sign === "{") open.push({ closing: sign === "[" ? "]" : "}", at: index });
    else open.pop();
  }
  const [first] = open;
  if (first === undefined) return [];
  const closed = open
    .reverse()
    .reduce((text, { closing }) => text + (closing === "}" ? " }" : "]"), line.trimEnd());
  return [{ line: closed, from: first.at, message: "this bracket is opened and never closed" }];
}

export function openQuote(line: string): Correction[] {
  const from = line.search(/(?<=[:\-[{,] *)["']/);
  if (from < 0) return [];
  const quote = line[from] ?? "";
  if ((line.split(quote).length - 1) % 2 === 0) return [];
  const message = "this quote is opened and never closed";
  return [{ line: line.trimEnd() + quote, from, message }];
}

/** One space too few or too many; a line is not moved to where it would mean something quite different. */
export function indentation(line: string, { indents }: Neighbours): Correction[] {
  const [indent = ""] = /^ */.exec(line) ?? [];
  const message = "the line begins in another column than the lines it belongs to";
  return indents
    .filter((width) => width !== indent.length && Math.abs(width - indent.length) <= 2)
    .sort((a, b) => (a % 2) - (b % 2) || Math.abs(a - indent.length) - Math.abs(b - indent.length))
    .map((width) => ({ line: " ".repeat(width) + line.slice(indent.length), from: 0, message }));
}

function unquoted(line: string): Correction[] {
  const [, before = "", value = ""] = /^(\s*(?:- +)?(?:[\w$-]+: +)?)(\S.*?)\s*$/.exec(line) ?? [];
  if (value === "" || before.trim() === "") return [];
  const [, , inner = value] = /^(["'])(.+)\1$/.exec(value) ?? [];
  const quoted =
    inner.includes('"') || inner.includes("\\") ? `'${inner.replaceAll("'", "''")}'` : `"${inner}"`;
  return [{ line: before + quoted, from: before.length, message: whyQuoted }];
}

function whyQuoted(code: string): string {
  if (code === "BLOCK_AS_IMPLICIT_KEY")
    return 'a second ": " stands in this value; put the value into quotes, or write its keys on lines of their own';
  if (code === "BAD_SCALAR_START")
    return "a value cannot begin with this character; put the value into quotes";
  return "this cannot be read as one value; put all of it into quotes";
}
