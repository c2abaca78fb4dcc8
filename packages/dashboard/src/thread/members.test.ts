import { expect, test } from "vitest";
import { indexOf } from "../thread-row.test.helper.ts";
import { membersOf } from "./members.ts";

test("members stand in declared order, whatever the order of their ends", () => {
  const group = { name: "g", entry: 1, of: 3 };
  const index = indexOf([
    { role: "a" },
    { role: "r", group: { ...group, index: 2 } },
    { role: "r", outcome: "timeout", group: { ...group, index: 0 } },
    { role: "b" },
  ]);
  expect(membersOf(index, { ...group, index: 0 })).toEqual([
    { round: 3, outcome: "timeout" },
    null,
    { round: 2, outcome: "ok" },
  ]);
});
