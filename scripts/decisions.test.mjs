/** Decisions are called by their numbers, so each has one of its own. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL("../docs/decisions/", import.meta.url));
const files = readdirSync(folder)
  .filter((name) => name !== "README.md")
  .sort();

// Who work at the same time take their numbers beforehand, so some may stay unused.
it("each decision has a number of its own", () => {
  const numbers = files.map((name) => name.slice(0, 4));
  expect(numbers.length).toBeGreaterThan(20);
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const number of numbers) expect(number).toMatch(/^\d{4}$/);
});

it.each(files)("%s says its number in its title", (name) => {
  const [title] = readFileSync(`${folder}${name}`, "utf8").split("\n", 1);
  expect(title).toMatch(new RegExp(`^# ${name.slice(0, 4)}: \\S`));
});
