import { spawn } from "node:child_process";
import { once } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStat, procTable } from "./process-table-proc.ts";
import { parsePsLine, psTable } from "./process-table-ps.ts";

describe("a line of /proc/<pid>/stat", () => {
  it("is read correctly whatever the program calls itself", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 15 }), (name) => {
        const stat = `42 (${name}) S 7 42 41 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2\n`;
        expect(parseStat(stat)).toEqual({
          pid: 42,
          parent: 7,
          group: 42,
          session: 41,
          startedAt: "987654",
          defunct: false,
          stopped: false,
        });
      }),
    );
  });

  it("is ignored when it is cut short", () => {
    expect(parseStat("")).toBeNull();
    expect(parseStat("42 (x) S 7")).toBeNull();
  });
});

describe("a line of ps", () => {
  it("is read with and without padding", () => {
    expect(parsePsLine("   42     7    42 Ss   Sat Nov 21 13:16:59 2026   ")).toEqual({
      pid: 42,
      parent: 7,
      group: 42,
      session: 0,
      startedAt: "Sat Nov 21 13:16:59 2026",
      defunct: false,
      stopped: false,
    });
    expect(parsePsLine("1 0 0 Z Sat Nov 21 13:16:59 2026")?.defunct).toBe(true);
    expect(parsePsLine("")).toBeNull();
  });
});

describe.each([
  ["/proc", procTable],
  ["ps", psTable],
])("the process table from %s", (_name, table) => {
  it("shows a child with its parent, its group and its environment", async () => {
    const child = spawn("sleep", ["60"], {
      detached: true,
      stdio: "ignore",
      env: { ...process.env, TABLE_TEST: "one:two" },
    });
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    const row = table.list().find((each) => each.pid === pid);
    expect(row).toMatchObject({ parent: process.pid, group: pid, defunct: false });
    expect(table.read(pid)).toEqual(row);
    await expect.poll(() => table.variable("TABLE_TEST").get(pid)).toBe("one:two");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(table.read(pid)).toBeNull();
  });
});
