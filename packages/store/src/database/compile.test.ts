import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { compile } from "./compile.ts";

const db = new DatabaseSync(":memory:");

test("a value goes to every place of its name", () => {
  const statement = compile(db, "SELECT :a AS one, :b AS two, :a || :ab AS three", OBJECTS);
  expect({ ...statement.get({ ab: "z", b: null, a: "x" }) }).toEqual({
    one: "x",
    two: null,
    three: "xz",
  });
});

test("a statement without values needs none", () => {
  expect(compile(db, "SELECT 1 AS one", OBJECTS).all()).toHaveLength(1);
});

test("rows come as arrays where that is asked for", () => {
  const statement = compile(db, "SELECT :a, 2", { rows: "arrays" });
  expect(statement.get({ a: 1 })).toEqual([1, 2]);
  expect(statement.all({ a: 3 })).toEqual([[3, 2]]);
});

test("a value that is missing is not taken for null", () => {
  expect(() => compile(db, "SELECT :a", OBJECTS).get({ b: 1 })).toThrow("no value for :a");
});

test("bytes and long integers arrive as they are", () => {
  const statement = compile(db, "SELECT hex(:bytes) AS hex, printf('%d', :name) AS name", OBJECTS);
  const row = statement.get({ bytes: Buffer.from("é"), name: -(2n ** 63n) });
  expect({ ...row }).toEqual({ hex: "C3A9", name: "-9223372036854775808" });
});

const OBJECTS = { rows: "objects" } as const;
