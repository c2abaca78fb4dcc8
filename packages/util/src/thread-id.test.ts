import { isThreadId, WorkflowError } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { newThreadId, threadIdTime } from "./thread-id.ts";

const NOW = 1_716_000_000_000;

test("a thread id tells when it was made", () => {
  const id = newThreadId(NOW);
  expect(isThreadId(id)).toBe(true);
  expect(threadIdTime(id)).toBe(NOW);
});

test("ids made within one millisecond ascend", () => {
  const ids = Array.from({ length: 1000 }, () => newThreadId(NOW + 1));
  expect(ids).toEqual([...new Set(ids)].sort());
});

test("ids ascend even when the clock steps back", () => {
  const before = newThreadId(NOW + 5000);
  expect(newThreadId(NOW - 5000) > before).toBe(true);
});

test.each(["", "01HX", "../../etc/passwd", "81HXXXXXXXXXXXXXXXXXXXXXXX"])(
  "%j is refused as a thread id",
  (text) => {
    expect(() => threadIdTime(text)).toThrow(WorkflowError);
  },
);
