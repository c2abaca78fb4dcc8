import { afterEach, expect, test } from "vitest";
import { quietSqlite } from "./quiet-sqlite.ts";

const real = process.emitWarning;
afterEach(() => {
  process.emitWarning = real;
});

test("the warning about Node's SQLite is not shown, every other one is", () => {
  const shown: unknown[][] = [];
  process.emitWarning = (...said: unknown[]) => {
    shown.push(said);
  };
  quietSqlite();
  process.emitWarning(
    "SQLite is an experimental feature and might change at any time",
    "ExperimentalWarning",
  );
  process.emitWarning("something is old", "DeprecationWarning", "DEP0000");
  expect(shown).toEqual([["something is old", "DeprecationWarning", "DEP0000"]]);
});
