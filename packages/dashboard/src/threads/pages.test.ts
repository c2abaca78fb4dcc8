import type { ThreadPage, ThreadRow } from "@uncaged/workflow-gateway/contract";
import { expect, test } from "vitest";
import { threadRow } from "../thread-row.test.helper.ts";
import { changedPages, rowsOf } from "./pages.ts";

const row = (threadId: string, more: Partial<ThreadRow> = {}) => threadRow({ threadId, ...more });
const page = (...threads: ThreadRow[]): ThreadPage => ({ threads, next: null });
const change = (thread: ThreadRow) => ({ type: "thread", topic: "threads", thread }) as const;

test("a thread that is on two pages is one row", () => {
  const ids = rowsOf([page(row("a"), row("b")), page(row("b"), row("c"))]).map((r) => r.threadId);
  expect(ids).toEqual(["a", "b", "c"]);
});

test("a change is applied where the thread stands, the latest of several counts", () => {
  const pages = [page(row("a"), row("b"))];
  const { pages: next, unknown } = changedPages(pages, [
    change(row("b", { status: "running" })),
    change(row("b", { status: "completed" })),
  ]);
  expect(rowsOf(next).map(({ status }) => status)).toEqual(["idle", "completed"]);
  expect(next[0]?.threads[0]).toBe(pages[0]?.threads[0]);
  expect(unknown).toEqual([]);
});

test("threads that are not shown move nothing: they are counted", () => {
  const pages = [page(row("a"))];
  const { pages: next, unknown } = changedPages(pages, [change(row("new")), change(row("new"))]);
  expect(next).toBe(pages);
  expect(unknown).toEqual(["new"]);
});

test("a thread that was removed goes", () => {
  const gone = { type: "removed", topic: "threads", threadId: "a" } as const;
  expect(rowsOf(changedPages([page(row("a"), row("b"))], [gone]).pages)).toHaveLength(1);
});
