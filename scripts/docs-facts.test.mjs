/** The tables of the documentation say what the code says. */
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { EXIT } from "../packages/protocol/src/exit-codes.ts";
import { THREAD_TRANSITIONS } from "../packages/protocol/src/thread-status.ts";
import { BLOBS_SCHEMA } from "../packages/store/src/sqlite/blobs-schema.ts";
import { migrate } from "../packages/store/src/sqlite/migrations.ts";

const text = (name) => readFileSync(new URL(`../docs/${name}.md`, import.meta.url), "utf8");

/** Cells of the table rows under a heading, without the head of the table. */
function rowsUnder(name, heading) {
  const [, after = ""] = text(name).split(new RegExp(`^## ${heading}\n`, "m"));
  const [section = ""] = after.split(/^## /m);
  const rows = section.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(1).map((row) => row.split("|").map((cell) => cell.trim()));
}

/** An empty index with the current schema. */
function newIndex() {
  const index = new DatabaseSync(":memory:");
  migrate(index, {
    file: ":memory:",
    refuseEmpty: () => {},
    withoutTables: () => new Error("it has none"),
  });
  return index;
}

const quoted = (cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, word]) => word);

describe("the documentation", () => {
  it("lists every status and every transition that is allowed", () => {
    const documented = rowsUnder("operations", "Statuses").map(([, status, , targets]) => [
      quoted(status)[0],
      targets === "final" ? [] : quoted(targets),
    ]);
    expect(Object.fromEntries(documented)).toEqual(THREAD_TRANSITIONS);
  });

  it("lists every exit code", () => {
    const codes = rowsUnder("operations", "Exit codes").map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(EXIT));
  });

  it("describes every column of the index, and no other", () => {
    const index = newIndex();
    const columns = index.prepare("SELECT name FROM pragma_table_info('threads')").all();
    const described = rowsUnder("storage", "index.db").flatMap(([, names]) => quoted(names));
    expect(described.sort()).toEqual(columns.map(({ name }) => name).sort());
  });

  it("says which schema the index has", () => {
    const index = newIndex();
    const { version } = index
      .prepare("SELECT user_version AS version FROM pragma_user_version")
      .get();
    const [, documented] = /`user_version` the schema, now (\d+)\./.exec(text("storage")) ?? [];
    expect(Number(documented)).toBe(version);
  });

  it("names every table of the index", () => {
    const tables = newIndex()
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
      .all();
    const page = text("storage");
    expect(tables.filter(({ name }) => name !== "blobs" && !page.includes(`\`${name}\``))).toEqual(
      [],
    );
  });

  it("describes every column of the packed blobs", () => {
    const columns = [...BLOBS_SCHEMA.matchAll(/^ {2}(\w+) +(?:BLOB|INTEGER)/gm)];
    const names = new Set(columns.map(([, name]) => name));
    const described = rowsUnder("storage", "Packed blobs").flatMap(([, cell]) => quoted(cell));
    expect(described.sort()).toEqual([...names].sort());
  });

  it("allows workers what they do with a bucket, and nothing else", () => {
    const [, policy] = /^```json\n([\s\S]*?)^```$/m.exec(text("operating-a-team"));
    const allowed = JSON.parse(policy).Statement.flatMap(({ Action }) => Action);
    const source = new URL("../packages/blobs-s3/src/s3-blobs.ts", import.meta.url);
    const sent = [...readFileSync(source, "utf8").matchAll(/new (\w+)Command\(/g)];
    const named = sent.map(([, name]) => `s3:${name === "ListObjectsV2" ? "ListBucket" : name}`);
    expect([...new Set(named)].sort()).toEqual(allowed.sort());
  });
});
