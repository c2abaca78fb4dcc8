/** Authors' patterns over agents' texts, matched in linear time whatever the pair. See
 *  docs/decisions/0009-regexes-of-rules-are-linear.md. */
import { RE2JS } from "re2js";

/** Whether the regular expression matches anywhere in the text; null when it cannot be read. */
export function matchesPattern(pattern: string, text: string): boolean | null {
  return compiledPattern(pattern)?.matcher(text).find() ?? null;
}

/** Whether the whole text matches this name, in which `*` stands for any characters. */
export function matchesName(name: string, text: string): boolean {
  const pattern = name
    .split("*")
    .map((part) => RE2JS.quote(part))
    .join(".*");
  return RE2JS.compile(pattern, RE2JS.DOTALL).matcher(text).matches();
}

function compiledPattern(pattern: string): RE2JS | null {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = compile(pattern);
  // A process runs a handful of roles; endlessly new patterns must not fill its memory.
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  compiled.set(pattern, made);
  return made;
}

const MOST_COMPILED = 1_000;
const compiled = new Map<string, RE2JS | null>();

function compile(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    return null;
  }
}
