import { expect, test } from "vitest";
import { indexOf } from "../thread-row.test.helper.ts";
import { barAt, lanesOf } from "./lanes.ts";

test("each role has a lane, each step a bar where it was in time", () => {
  const lanes = lanesOf(
    indexOf([
      { role: "a", timestamp: 1_250, durationMs: 250 },
      { role: "b", timestamp: 2_000, durationMs: 500, outcome: "crashed" },
    ]),
    1_000,
  );
  expect(lanes.roles).toEqual(["a", "b"]);
  expect(lanes.bars).toEqual([
    { round: 1, lane: 0, left: 0, width: 0.25, failed: false },
    { round: 2, lane: 1, left: 0.5, width: 0.5, failed: true },
  ]);
  expect(barAt(lanes, 1, 0.1)).toBe(2);
  expect(barAt(lanes, 7, 0.1)).toBeNull();
});

test("clocks that went back break nothing", () => {
  const { bars } = lanesOf(indexOf([{ role: "a", timestamp: 5, durationMs: 900 }]), 1_000);
  expect(bars[0]).toMatchObject({ left: 0, width: 0 });
});
