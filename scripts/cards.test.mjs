/** Design cards have a head that can be read, and whoever is linked links back. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL("../.cards", import.meta.url));
const HEAD =
  /^---\ntitle: .+\ncreated: \d{4}-\d{2}-\d{2}\ntags: \[.+\]\ncategory: (?:design|model|storage|threads)\nlinks: \[(.+)\]\n---\n\S/;
const cards = new Map(
  globSync("*.md", { cwd: folder }).map((file) => [basename(file, ".md"), file]),
);

it.each([...cards.keys()].sort())("%s: is linked by the cards that it links to", (name) => {
  const links = linksOf(name);
  expect(links, "at least one link").not.toEqual([]);
  expect(links.filter((link) => !cards.has(link) || !linksOf(link).includes(name))).toEqual([]);
});

/** Empty for a card whose head is not as it should be. */
function linksOf(name) {
  const [, links] = HEAD.exec(readFileSync(join(folder, cards.get(name)), "utf8")) ?? [];
  return links?.split(", ") ?? [];
}
