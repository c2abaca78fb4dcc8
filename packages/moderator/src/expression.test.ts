import { afterEach, describe, expect, it, vi } from "vitest";
import { causeOf, parseExpression } from "./expression.ts";

async function evaluate(text: string, root: object = {}): Promise<unknown> {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value.evaluate(root);
}

const cause = (text: string, root: object = {}): Promise<string> =>
  evaluate(text, root).then(
    () => "it succeeded",
    (thrown: unknown) => causeOf(thrown),
  );

describe("an evaluation is stopped", () => {
  afterEach(() => vi.restoreAllMocks());

  it("when it runs for too long", async () => {
    let nowMs = 0;
    vi.spyOn(Date, "now").mockImplementation(() => {
      nowMs += 1;
      return nowMs;
    });
    expect(await cause("( $f := function() { $f() }; $f() )")).toContain(
      "timeout after 5000 milli",
    );
  });

  it("when it recurses too deep", async () => {
    expect(await cause("( $f := function($n) { 1 + $f($n + 1) }; $f(0) )")).toContain(
      "Stack overflow",
    );
  });

  it("when it creates too long a sequence", async () => {
    expect(await cause("[1..1000001]")).toContain(
      "maximum sequence length of 1000001 was exceeded",
    );
  });

  it("when a text grows without limit", async () => {
    expect(await cause("$reduce([1..40], function($a, $b) { $a & $a }, 'x')")).toContain(
      "a text of 33554432 characters",
    );
  });

  it("when it pads without limit", async () => {
    expect(await cause("$pad('x', 200000000)")).toContain("$pad to a width of 200000000");
    expect(await cause("$pad('x', -1e300)")).toContain("$pad to a width of");
  });
});

describe("an evaluation", () => {
  it("pads as JSONata does", async () => {
    expect(
      await evaluate("$pad('foo', 5) & '|' & $pad('foo', -5, '#') & '|' & $pad('é', -6, 'ab')"),
    ).toBe("foo  |##foo|ababaé");
    expect(await evaluate("$pad('foo', 2) & $pad('x', 2, '')")).toBe("foox ");
    expect(await evaluate("$pad(missing, 2)")).toBeUndefined();
  });

  it("does not see what it is not given", async () => {
    expect(await evaluate("constructor")).toBeUndefined();
    expect(await evaluate("a.__proto__", { a: {} })).toBeUndefined();
    expect(await evaluate("$lookup(a, 'toString')", { a: {} })).toBeUndefined();
  });

  it("has no way to change the prototype of all objects", async () => {
    await cause("{'__proto__': {'polluted': true}}");
    await cause("$merge([{'__proto__': {'polluted': true}}, {'a': 1}])");
    await cause("$spread({'constructor': {'prototype': 1}})");
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
