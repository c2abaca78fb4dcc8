import { expect, test } from "vitest";
import { kindOf } from "./kind-of.ts";

test("texts are told apart by what they are", () => {
  expect(kindOf("# Done\n\nAll *well*.")).toBe("markdown");
  expect(kindOf('{"a": 1}')).toBe("json");
  expect(kindOf("[not json")).toBe("markdown");
  expect(kindOf("\u001b[32mok\u001b[0m")).toBe("text");
});

test("what would take long to parse is not parsed", () => {
  expect(kindOf("x".repeat(100_000))).toBe("text");
  expect(kindOf("> ".repeat(50))).toBe("text");
  expect(kindOf(`a ${"[".repeat(500)}`)).toBe("text");
  expect(kindOf("- ".repeat(50))).toBe("text");
});
