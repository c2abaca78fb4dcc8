import { expect, test } from "vitest";
import { indexOf } from "../thread-row.test.helper.ts";
import { failureFrom, withCompleted } from "./steps.ts";

const failed = { role: "b", outcome: "crashed" } as const;
const index = indexOf([{ role: "a" }, failed, { role: "a" }, failed]);

test("n and p go from failure to failure, and stay at the last", () => {
  expect(failureFrom(index, 0, 1)).toBe(2);
  expect(failureFrom(index, 2, 1)).toBe(4);
  expect(failureFrom(index, 4, 1)).toBeNull();
  expect(failureFrom(index, 4, -1)).toBe(2);
  expect(failureFrom(index, 5, -1)).toBe(4);
});

const completed = (stateHash: string, role = "c") =>
  ({
    type: "step_completed",
    threadId: "t",
    timestamp: 9,
    role,
    round: 5,
    stateHash,
    meta: { status: "ok" },
  }) as const;

test("a step that the stream tells of is there once, whoever told of it first", () => {
  const once = withCompleted(index, [completed("NEW"), completed("NEW")]);
  expect(once.stepCount).toBe(5);
  expect(once.columns.role.at(-1)).toBe("c");
  expect(once.columns.status.at(-1)).toBe("ok");
  expect(withCompleted(once, [completed("NEW")])).toBe(once);
  expect(withCompleted(index, [completed("STATE2")])).toBe(index);
});

test("all columns stay as long as each other", () => {
  const { columns } = withCompleted(index, [completed("X"), completed("Y")]);
  expect(new Set(Object.values(columns).map((column) => column.length))).toEqual(new Set([6]));
});
