import { expect, test } from "vitest";
import { filtersIn, listCommand, NO_FILTERS, queryOf, searchOf } from "./filters.ts";

const ALL = {
  status: "failed",
  workflow: "develop",
  words: "it's & more",
  label: "team=web",
  hours: 24,
} as const;

test("filters stand in the address and come back from it", () => {
  expect(filtersIn(searchOf(ALL))).toEqual(ALL);
  expect(searchOf(NO_FILTERS)).toBe("");
  expect(filtersIn("")).toEqual(NO_FILTERS);
});

test("an address that somebody made up narrows nothing", () => {
  expect(filtersIn("status=owned&hours=-1&x=y")).toEqual(NO_FILTERS);
  expect(filtersIn("hours=1.5")).toEqual(NO_FILTERS);
});

test("they are asked for and can be typed as a command", () => {
  expect(queryOf(ALL, 100 * 3_600_000)).toEqual({
    status: "failed",
    workflow: "develop",
    q: "it's & more",
    label: "team=web",
    since: String(76 * 3_600_000),
  });
  expect(listCommand(ALL)).toBe(
    "uwf thread list develop --status failed --text 'it'\\''s & more' --label team=web --since 24h",
  );
});
