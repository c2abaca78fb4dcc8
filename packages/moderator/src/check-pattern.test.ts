import { describe, expect, it } from "vitest";
import { checkPattern } from "./check-pattern.ts";

describe("checkPattern", () => {
  it.each(["npm (test|ci)", "^git\\s+push", "\\/etc\\/", "(?<name>a)", "\\u0041"])(
    "accepts /%s/",
    (pattern) => {
      expect(checkPattern(pattern)).toBeNull();
    },
  );

  it.each([
    ["an empty one", "", "matches everything"],
    ["an unterminated one", "npm (test", "missing closing )"],
    ["look-ahead", "a(?=b)", "linear time"],
    ["a back reference", "(a)\\1", "linear time"],
    ["one that grows too large", "(a{1000}){1000}", "linear time"],
  ])("refuses %s and says why", (_name, pattern, why) => {
    expect(checkPattern(pattern)).toMatchObject({
      code: "RULE_INVALID",
      message: expect.stringContaining(why),
    });
  });
});
