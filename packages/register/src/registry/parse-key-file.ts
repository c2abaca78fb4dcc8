import { err, ok, type Result } from "@uncaged/workflow-protocol";

/** `line` counts from 1; the problem never contains any part of a value. */
export type KeyFileFault = { line: number; problem: string };

/** Parses lines of `NAME=value`, as shells and other programs write them: `export` before the name, quotes around
 *  the value, comments. Nothing is expanded, and a value ends on its line. If a name occurs twice, the last line
 *  counts. */
export function parseKeyFile(text: string): Result<ReadonlyMap<string, string>, KeyFileFault> {
  const values = new Map<string, string>();
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const [, name, rest] = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/s.exec(line) ?? [];
    if (name === undefined || rest === undefined)
      return err({ line: index + 1, problem: "is not NAME=value" });
    const value = valueIn(rest);
    if (!value.ok) return err({ line: index + 1, problem: `${name}: ${value.error}` });
    values.set(name, value.value);
  }
  return ok(values);
}

function valueIn(text: string): Result<string, string> {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return ok(text.replace(/(?:^|\s)#.*$/s, "").trim());
  const whole = quote === '"' ? /^"((?:[^"\\]|\\.)*)"/s.exec(text) : /^'([^']*)'/.exec(text);
  if (whole === null) return err("its quote is not closed on the same line");
  const [quoted, inner = ""] = whole;
  if (!/^\s*(?:#.*)?$/s.test(text.slice(quoted.length)))
    return err("there is text after its quote");
  return ok(
    quote === '"' ? inner.replace(/\\(.)/gs, (_, char: string) => ESCAPES[char] ?? char) : inner,
  );
}

const ESCAPES: { readonly [char: string]: string | undefined } = { n: "\n", r: "\r", t: "\t" };
