import fc from "fast-check";
import jsonata from "jsonata";
import { afterEach, describe, expect, it, vi } from "vitest";
import { causeOf, parseExpression } from "./expression.ts";
import { linearRegex } from "./linear-regex.ts";

async function evaluate(text: string, root: object): Promise<unknown> {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value.evaluate(root);
}

describe("a rule's regular expression", () => {
  afterEach(() => vi.restoreAllMocks());

  it("finds the same as the built-in engine", async () => {
    const pattern = fc.constantFrom(
      "a",
      "^a",
      "a$",
      "a+b*",
      "(a)(b)?",
      "(?:ab|a)c?",
      "[^a-c]+",
      "\\\\bb\\\\w*",
      "\\\\d{2,3}",
      "a.*?b",
      "(a|ab)(c|bcd)",
    );
    const flags = fc.constantFrom("", "i", "m");
    const text = fc.string({
      unit: fc.constantFrom("a", "b", "c", "A", " ", "1", "\n", "é"),
      maxLength: 30,
    });
    const call = fc.constantFrom(
      "$match(text, R)",
      "$replace(text, R, '<$0|$1>')",
      "$split(text, R)",
      "$contains(text, R)",
    );
    await fc.assert(
      fc.asyncProperty(pattern, flags, call, text, async (source, flag, calls, subject) => {
        const expression = calls.replace("R", () => `/${source.replaceAll("\\\\", "\\")}/${flag}`);
        const expected: unknown = await jsonata(expression).evaluate({ text: subject });
        expect(JSON.stringify(await evaluate(expression, { text: subject }))).toBe(
          JSON.stringify(expected),
        );
      }),
    );
  });

  it("knows its flags, and tells an unmatched group from an empty one", async () => {
    expect(await evaluate("$contains(text, /^b$/m)", { text: "a\nb\nc" })).toBe(true);
    expect(await evaluate("$contains(text, /^b$/)", { text: "a\nb\nc" })).toBe(false);
    expect(await evaluate("$contains(text, /B/i)", { text: "abc" })).toBe(true);
    expect(await evaluate("$match(text, /a(b)?(c*)/).groups", { text: "a" })).toEqual([
      undefined,
      "",
    ]);
  });

  it("may be kept in a variable and used for several texts", async () => {
    const answers = await evaluate(
      "( $r := /c/; [$contains(a, $r), $contains(b, $r), $contains(a, $r)] )",
      { a: "cd", b: "ab" },
    );
    expect(answers).toEqual([true, false, true]);
  });

  it("takes linear time where the built-in engine would run for ever", async () => {
    const text = `${"a".repeat(100_000)}!`;
    expect(await evaluate("$contains(text, /^(a+)+$/)", { text })).toBe(false);
    expect(await evaluate("$contains(text, /(a|a)*b/)", { text })).toBe(false);
  });

  it("stops when finding all matches takes too long", async () => {
    let nowMs = 0;
    vi.spyOn(Date, "now").mockImplementation(() => {
      nowMs += 1;
      return nowMs;
    });
    const failed = evaluate("$count($match(text, /a/))", { text: "a".repeat(10_000) });
    expect(causeOf(await failed.catch((thrown: unknown) => thrown))).toContain(
      "took longer than 5000 ms",
    );
  });

  it("is compiled once", () => {
    const literal = /a/;
    expect(linearRegex(literal)).toBe(linearRegex(literal));
  });
});
