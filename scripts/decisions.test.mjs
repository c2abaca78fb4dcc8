/** Decisions are called by their numbers, so each has one of its own. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL("../docs/decisions/", import.meta.url));
const files = readdirSync(folder)
  .filter((name) => name !== "README.md")
  .sort();

it("number the decisions from 1, each number once", () => {
  const numbers = files.map((name) => Number(name.slice(0, 4)));
  expect(numbers).toEqual(files.map((_name, index) => index + 1));
});

it.each(files)("%s says its number in its title", (name) => {
  const [title] = readFileSync(`${folder}${name}`, "utf8").split("\n", 1);
  expect(title).toMatch(new RegExp(`^# ${name.slice(0, 4)}: \\S`));
});
