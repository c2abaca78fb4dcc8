import { expect, it } from "vitest";
import { cutToWidth, widthOf } from "./text-width.ts";

it("counts the columns of a terminal", () => {
  const widths = { été: 3, "e\u0301te\u0301": 3, 漢字: 4, ｱ: 1, "🙂": 2, "👩‍👩‍👧": 2, "🇨🇭": 2 };
  for (const [text, columns] of Object.entries(widths))
    expect([text, widthOf(text)]).toEqual([text, columns]);
  expect(widthOf("\u001b[31mred\u001b[39m")).toBe(3);
});

it("cuts between characters as people see them", () => {
  expect(cutToWidth("漢字漢字", 8)).toBe("漢字漢字");
  expect(cutToWidth("漢字漢字", 7)).toBe("漢字漢…");
  expect(cutToWidth("漢字漢字", 6)).toBe("漢字…");
  expect(cutToWidth("a👩‍👩‍👧bc", 4)).toBe("a👩‍👩‍👧…");
  expect(cutToWidth("e\u0301te\u0301s", 3)).toBe("e\u0301t…");
});
