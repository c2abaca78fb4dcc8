/** The table of docs/reliability.md has the cases that the short form of the faults has. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const PAGE = readFileSync(new URL("../docs/reliability.md", import.meta.url), "utf8");
const CLASSES = new URL("../faults/classes/", import.meta.url);
/** How many calls there are to fail at, only a run can tell. */
const COUNTED_BY_A_RUN = ["01", "02", "03"];

/** From the number of a class to its cases, as the page has them. */
const counts = new Map(
  [...PAGE.matchAll(/^\| (\d\d) [^|]+\| (\d+) \| \d+ \| \d+ \|$/gm)].map(([, id, cases]) => [
    id,
    Number(cases),
  ]),
);

const files = readdirSync(CLASSES);

it.each(files)("counts the cases of %s", async (file) => {
  const id = file.slice(0, 2);
  if (COUNTED_BY_A_RUN.includes(id)) expect(counts.get(id)).toBeGreaterThan(0);
  else expect(counts.get(id)).toBe(await casesOf(file));
});

it("adds the classes up", () => {
  const [, total] = /^\| total \| (\d+) \|/m.exec(PAGE) ?? [];
  expect(counts.size).toBe(files.length);
  expect(Number(total)).toBe([...counts.values()].reduce((sum, cases) => sum + cases, 0));
});

/** Cases are named before anything is done for them. */
async function casesOf(file) {
  const { cases } = await import(new URL(file, CLASSES).href);
  const some = (list, count) => list.slice(0, count);
  const lab = { folder: "/nowhere", bundles: {}, thorough: false, some };
  let count = 0;
  for await (const { name } of cases(lab)) count += name.length > 0 ? 1 : 0;
  return count;
}
