import { describe, expect, it } from "vitest";
import type { ProcessRow } from "./process-row.ts";
import { findMarked, membersAmong, type Run } from "./run-mark.ts";

const SELF = 100;

function row(pid: number, parent: number, more: Partial<ProcessRow> = {}): ProcessRow {
  return {
    pid,
    parent,
    group: pid,
    session: pid,
    startedAt: "1",
    defunct: false,
    stopped: false,
    ...more,
  };
}

/** We are 100, started by the shell 50. */
const ours = [row(1, 0), row(50, 1), row(SELF, 50)];

function pids(
  rows: readonly ProcessRow[],
  marks: Record<number, string>,
  run: Run = { mark: "T:1" },
): number[] {
  const entries = Object.entries(marks).map(([pid, mark]) => [Number(pid), mark] as const);
  return membersAmong([...ours, ...rows], { ...run, marks: new Map(entries), selfPid: SELF })
    .map((member) => member.pid)
    .toSorted((a, b) => a - b);
}

describe("the members of a run", () => {
  it("carry its mark, or one of which it is the first parts", () => {
    const rows = [row(200, 1), row(201, 1), row(202, 1), row(203, 1)];
    const marks = { 200: "T:1", 201: "T:1:a", 202: "T:12", 203: "U:1" };
    expect(pids(rows, marks)).toEqual([200, 201]);
    expect(pids(rows, marks, { mark: "T" })).toEqual([200, 201, 202]);
    expect(pids(rows, marks, { mark: "T:" })).toEqual([200, 201, 202]);
    expect(pids(rows, marks, { mark: "" })).toEqual([]);
  });

  it("include all that hangs below them, though it cleared its environment", () => {
    expect(pids([row(202, 201), row(201, 200), row(200, 1)], { 200: "T:1" })).toEqual([
      200, 201, 202,
    ]);
  });

  it("include the group and the session that a member leads", () => {
    const rows = [row(200, 1), row(201, 1, { group: 200 }), row(202, 1, { session: 200 })];
    expect(pids(rows, { 200: "T:1" })).toEqual([200, 201, 202]);
  });

  it("include the group and the session of a named leader that is gone", () => {
    const rows = [row(201, 1, { group: 200 }), row(202, 1, { session: 200 }), row(203, 1)];
    expect(pids(rows, {}, { mark: "T:1", leaders: [200] })).toEqual([201, 202]);
  });

  it("include those of an earlier look, unless the pid has another owner now", () => {
    const known = new Map([
      [200, "1"],
      [201, "0"],
    ]);
    expect(pids([row(200, 1), row(201, 1)], {}, { mark: "T:1", known })).toEqual([200]);
  });

  it("include a group whose leader is gone when one of its processes is a member", () => {
    const rows = [row(201, 1, { group: 200 }), row(202, 1, { group: 200 })];
    expect(pids(rows, { 201: "T:1" })).toEqual([201, 202]);
  });

  it("do not include a group or session that somebody else leads", () => {
    const rows = [
      row(200, 1),
      row(201, 1, { group: 200, session: 200 }),
      row(202, 1, { group: 200, session: 200 }),
    ];
    expect(pids(rows, { 201: "T:1" })).toEqual([201]);
  });

  it("never include us or our ancestors", () => {
    expect(pids([], { 50: "T:1", [SELF]: "T:1" })).toEqual([]);
  });

  it("do not include what stands in our own group, though its leader is gone", () => {
    // As in `first | ours`, where the first has ended.
    const rows = [row(1, 0), row(SELF, 1, { group: 40 })];
    const marked = row(200, 1, { group: 40 });
    const neighbour = row(60, 1, { group: 40 });
    const run = { mark: "T:1", marks: new Map([[200, "T:1"]]), selfPid: SELF };
    expect(membersAmong([...rows, marked, neighbour], run)).toEqual([marked]);
  });

  it("do not include zombies", () => {
    expect(pids([row(200, 1, { defunct: true })], { 200: "T:1" })).toEqual([]);
  });

  it("include those below one of them that emptied or changed the mark, or moved elsewhere", () => {
    const rows = [row(200, 1), row(201, 200), row(202, 201), row(203, 200)];
    expect(pids(rows, { 200: "T:1", 201: "", 202: "", 203: "U:1" })).toEqual([200, 201, 202, 203]);
  });

  it("include those that emptied the mark in the group or session of one, though its parent is gone", () => {
    const rows = [row(200, 1), row(201, 1, { session: 200 }), row(202, 1, { group: 200 })];
    expect(pids(rows, { 200: "T:1", 201: "", 202: "" })).toEqual([200, 201, 202]);
  });

  it("do not include what was started outside of the run, with a mark of its own", () => {
    expect(pids([row(200, 1), row(201, 1)], { 200: "T:1", 201: "U/runner:x" })).toEqual([200]);
  });

  it("may be those of several marks", () => {
    const marks = { 200: "T:1:a", 201: "T/runner:b", 202: "U:1:c" };
    const run = { mark: ["T:", "T/runner"] };
    expect(pids([row(200, 1), row(201, 1), row(202, 1)], marks, run)).toEqual([200, 201]);
  });
});

describe("findMarked", () => {
  it("finds nothing for a mark that nobody carries", () => {
    expect(findMarked("no-such-run:1")).toEqual([]);
  });
});
