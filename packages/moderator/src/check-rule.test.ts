import { describe, expect, it } from "vitest";
import { checkRule } from "./index.ts";

describe("a checked rule", () => {
  it.each([
    "true",
    "steps[-1].meta.status = 'approved'",
    "$count(byRole.coder.metas[ok]) > 2",
    "( $f := function($x) { $x > 1 }; $f(byRole.coder.count) )",
    "$map(steps, function($s, $i) { $i & $s.role })",
    "steps[meta.ok]#$i.{ 'place': $i }",
    "steps@$s#$i[$i > 1].{ 'role': $s.role }",
    "$contains(last.meta.log, /(\\d+) passed/i)",
    "$sum(steps.meta.cost) > 5 and $not($exists(byRole.tester))",
    "$pad('x', 3) = 'x  '",
    "$fromMillis(last.timestamp) > '2026'",
  ])("may be used: %s", (when) => {
    expect(checkRule(when)).toBeNull();
  });

  it.each([
    ["", "not a JSONata expression: Unexpected end of expression"],
    ["last.meta.status = ", "not a JSONata expression: Unexpected end of expression"],
    ["a b", 'not a JSONata expression: Syntax error: "b" (at character 3)'],
    ["$match(x, /a{2,1}/)", "numbers out of order"],
    ["$now() > 1", "$now is not allowed: it reads the clock"],
    ["( $f := $millis; $f() > 1 )", "$millis is not allowed: it reads the clock"],
    ["$random() > 0.5", "$random is not allowed: it draws a random number"],
    ["$shuffle(steps)[0].role = 'a'", "$shuffle is not allowed"],
    ["$eval(last.meta.rule)", "$eval is not allowed: it would run text that nobody checked"],
    ["$toMillis('10:00', '[H]:[m]')", "$toMillis is not allowed: it fills in"],
    ["( $now := 1; $now = 1 )", "$now is not allowed"],
    ["$map(steps, $random)", "$random is not allowed"],
    ["steps ~> |$$.steps|{'role': 'x'}|", "the transform operator"],
    ["$cuont(steps) = 1", "$cuont is neither a function nor bound in the expression"],
    ["count(steps) = 1", "only functions can be called"],
    ["last.meta.f(?)", "only functions can be called"],
    ["$contains(last.meta.log, /(a)\\1/)", "cannot be matched in linear time"],
    ["$contains(last.meta.log, /(?=a)a/)", "cannot be matched in linear time"],
  ])("is refused: %s", (when, message) => {
    expect(checkRule(when)).toMatchObject({
      code: "RULE_INVALID",
      message: expect.stringContaining(message),
    });
  });

  it("is refused when it is longer than anyone would write", () => {
    expect(checkRule(`"${"x".repeat(16_384)}"`)?.message).toBe(
      "the expression has 16386 characters, at most 16384 are read",
    );
  });

  it("is refused without a crash when it is nested far too deep", () => {
    expect(checkRule(`${"(".repeat(8000)}1${")".repeat(8000)}`)?.code).toBe("RULE_INVALID");
  });

  it("is reported with the position of the fault", () => {
    expect(checkRule("1 = 1 and $random() > 0.5")?.message).toMatch(/\(at character 17\)$/u);
  });
});
