import { describe, expect, it } from "vitest";
import type { ProcessRow } from "./process-row.ts";
import { findTagged, membersAmong, type Run } from "./process-tag.ts";

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

/** This process is 100, started by the shell 50. */
const ours = [row(1, 0), row(50, 1), row(SELF, 50)];

function pids(
  rows: readonly ProcessRow[],
  tags: Record<number, string>,
  run: Run = { tag: "T:1" },
): number[] {
  const entries = Object.entries(tags).map(([pid, tag]) => [Number(pid), tag] as const);
  return membersAmong([...ours, ...rows], { ...run, tags: new Map(entries), selfPid: SELF })
    .map((member) => member.pid)
    .toSorted((a, b) => a - b);
}

describe("the members of a run", () => {
  it("carry its tag, or one that begins with its parts", () => {
    const rows = [row(200, 1), row(201, 1), row(202, 1), row(203, 1)];
    const tags = { 200: "T:1", 201: "T:1:a", 202: "T:12", 203: "U:1" };
    expect(pids(rows, tags)).toEqual([200, 201]);
    expect(pids(rows, tags, { tag: "T" })).toEqual([200, 201, 202]);
    expect(pids(rows, tags, { tag: "T:" })).toEqual([200, 201, 202]);
    expect(pids(rows, tags, { tag: "" })).toEqual([]);
  });

  it("include everything below them, even with a cleared environment", () => {
    expect(pids([row(202, 201), row(201, 200), row(200, 1)], { 200: "T:1" })).toEqual([
      200, 201, 202,
    ]);
  });

  it("include the group and the session that a member leads", () => {
    const rows = [row(200, 1), row(201, 1, { group: 200 }), row(202, 1, { session: 200 })];
    expect(pids(rows, { 200: "T:1" })).toEqual([200, 201, 202]);
  });

  it("include the group and session of a named leader that is gone", () => {
    const rows = [row(201, 1, { group: 200 }), row(202, 1, { session: 200 }), row(203, 1)];
    expect(pids(rows, {}, { tag: "T:1", leaders: [200] })).toEqual([201, 202]);
  });

  it("include those found earlier, unless the pid has been reused", () => {
    const known = new Map([
      [200, "1"],
      [201, "0"],
    ]);
    expect(pids([row(200, 1), row(201, 1)], {}, { tag: "T:1", known })).toEqual([200]);
  });

  it("include a group whose leader is gone when one of its processes is a member", () => {
    const rows = [row(201, 1, { group: 200 }), row(202, 1, { group: 200 })];
    expect(pids(rows, { 201: "T:1" })).toEqual([201, 202]);
  });

  it("do not include a group or session with a leader outside the run", () => {
    const rows = [
      row(200, 1),
      row(201, 1, { group: 200, session: 200 }),
      row(202, 1, { group: 200, session: 200 }),
    ];
    expect(pids(rows, { 201: "T:1" })).toEqual([201]);
  });

  it("never include this process or its ancestors", () => {
    expect(pids([], { 50: "T:1", [SELF]: "T:1" })).toEqual([]);
  });

  it("do not include this process's own group, even without its leader", () => {
    // As in `first | ours`, when the first has ended.
    const rows = [row(1, 0), row(SELF, 1, { group: 40 })];
    const marked = row(200, 1, { group: 40 });
    const neighbour = row(60, 1, { group: 40 });
    const run = { tag: "T:1", tags: new Map([[200, "T:1"]]), selfPid: SELF };
    expect(membersAmong([...rows, marked, neighbour], run)).toEqual([marked]);
  });

  it("do not include zombies", () => {
    expect(pids([row(200, 1, { defunct: true })], { 200: "T:1" })).toEqual([]);
  });

  it("include descendants that emptied or changed the tag, or moved elsewhere", () => {
    const rows = [row(200, 1), row(201, 200), row(202, 201), row(203, 200)];
    expect(pids(rows, { 200: "T:1", 201: "", 202: "", 203: "U:1" })).toEqual([200, 201, 202, 203]);
  });

  it("include those that emptied the tag in a member's group or session, even without their parent", () => {
    const rows = [row(200, 1), row(201, 1, { session: 200 }), row(202, 1, { group: 200 })];
    expect(pids(rows, { 200: "T:1", 201: "", 202: "" })).toEqual([200, 201, 202]);
  });

  it("do not include what was started outside the run, with its own tag", () => {
    expect(pids([row(200, 1), row(201, 1)], { 200: "T:1", 201: "U/runner:x" })).toEqual([200]);
  });

  it("may be those of several tags", () => {
    const tags = { 200: "T:1:a", 201: "T/runner:b", 202: "U:1:c" };
    const run = { tag: ["T:", "T/runner"] };
    expect(pids([row(200, 1), row(201, 1), row(202, 1)], tags, run)).toEqual([200, 201]);
  });
});

describe("findTagged", () => {
  it("finds nothing for a tag that no process carries", () => {
    expect(findTagged("no-such-run:1")).toEqual([]);
  });
});
