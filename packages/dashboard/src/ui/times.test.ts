import { expect, test } from "vitest";
import { ago, count, duration, money } from "./times.ts";

test("lengths, moments, money and counts are said shortly", () => {
  expect([5, 1_500, 59_000, 61_000, 3_700_000, 200_000_000].map(duration)).toEqual([
    "5 ms",
    "1.5 s",
    "59 s",
    "1 min 01 s",
    "1 h 01 min",
    "2 d 7 h",
  ]);
  expect([99_000, 40_000, -3_600_000].map((past) => ago(100_000 - past, 100_000))).toEqual([
    "1 min ago",
    "40 s ago",
    "in 1 h",
  ]);
  expect([0, 0.0034, 1.239].map(money)).toEqual(["$0", "$0.0034", "$1.24"]);
  expect([999, 12_345, 123_456, 1_234_567].map(count)).toEqual(["999", "12.3 k", "123 k", "1.2 M"]);
});

test("a clock that is wrong shows no nonsense", () => {
  expect(duration(-5)).toBe("0 s");
  expect(duration(Number.NaN)).toBe("0 s");
});
