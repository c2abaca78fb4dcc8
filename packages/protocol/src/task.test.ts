import { expect, test } from "vitest";
import { canMoveTask, TASK_STATES, TASK_TRANSITIONS } from "./task.ts";

test("the transitions of tasks are those of the specification, and no others", () => {
  const allowed = TASK_STATES.flatMap((from) =>
    TASK_STATES.filter((to) => canMoveTask(from, to)).map((to) => `${from} ${to}`),
  );
  expect(allowed.toSorted()).toEqual(
    [
      "ASSIGNED WORKING",
      "ASSIGNED FAILED",
      "WORKING IN_REVIEW",
      "WORKING CONFLICTED",
      "WORKING FAILED",
      "CONFLICTED IN_REVIEW",
      "CONFLICTED WORKING",
      "CONFLICTED FAILED",
      "IN_REVIEW APPROVED",
      "IN_REVIEW WORKING",
      "IN_REVIEW FAILED",
      "APPROVED COMPLETED",
      "APPROVED WORKING",
      "APPROVED FAILED",
      "FAILED ASSIGNED",
    ].toSorted(),
  );
  expect(Object.keys(TASK_TRANSITIONS).toSorted()).toEqual(TASK_STATES.toSorted());
});
