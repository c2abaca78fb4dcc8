/** Regular expressions of rules, matched in linear time.
 *
 *  They may be written in a hurry and run on agent output; with the built-in engine one unlucky pair keeps the
 *  process busy for hours, and no time limit can interrupt it. See
 *  docs/decisions/0009-regexes-of-rules-are-linear.md. */
import { RE2JS } from "re2js";
import { LIMITS } from "./limits.ts";

/** What the evaluator needs from a regular expression: `exec` from `lastIndex` on, as with flag `g`. */
type Matcher = { lastIndex: number; exec(text: string): Match | null };
type Match = { index: number; length: number; [group: number]: string | undefined };

/** Replaces `RegExp` where the evaluator constructs one from a parsed literal. */
export const LINEAR_REGEX_ENGINE: RegExpConstructor = new Proxy(RegExp, {
  construct(_target, [literal]: unknown[]) {
    if (literal instanceof RegExp) return matcher(linearRegex(literal));
    throw new TypeError("a rule's regular expression must be a literal");
  },
});

const compiled = new WeakMap<RegExp, RE2JS>();

/** Compiles a literal once. Throws when it uses what no linear engine supports (look-around, back references) or
 *  would grow too large. */
export function linearRegex(literal: RegExp): RE2JS {
  const known = compiled.get(literal);
  if (known !== undefined) return known;
  const flags =
    (literal.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (literal.multiline ? RE2JS.MULTILINE : 0);
  const regex = RE2JS.compile(RE2JS.translateRegExp(literal.source), flags);
  compiled.set(literal, regex);
  return regex;
}

function matcher(regex: RE2JS): Matcher {
  const startedAt = Date.now();
  let current = { text: "", matcher: regex.matcher("") };
  return {
    lastIndex: 0,
    exec(text) {
      // Finding all matches is a loop inside the evaluator that does not check its time limit.
      if (Date.now() - startedAt > LIMITS.timeoutMs) throw tooSlow(regex);
      if (current.text !== text) current = { text, matcher: regex.matcher(text) };
      const found = current.matcher.find(this.lastIndex);
      this.lastIndex = found ? current.matcher.end() : 0;
      return found ? matchOf(current.matcher) : null;
    },
  };
}

function matchOf(found: ReturnType<RE2JS["matcher"]>): Match {
  const match: Match = { index: found.start(), length: found.groupCount() + 1 };
  for (let group = 0; group < match.length; group += 1)
    match[group] = found.group(group) ?? undefined;
  return match;
}

function tooSlow(regex: RE2JS): Error {
  return new Error(`matching /${regex.pattern()}/ took longer than ${LIMITS.timeoutMs} ms`);
}
