/** Design cards have front matter that can be read, each link goes both ways, and the index lists them all. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL("../.cards", import.meta.url));
const HEAD =
  /^---\ntitle: (.+)\ncreated: \d{4}-\d{2}-\d{2}\ntags: \[.+\]\ncategory: (?:design|model|storage|threads)\nlinks: \[(.+)\]\nsource: (.+)\n---\n\S/;
const ROW = /^\| \[(?<title>[^\]]+)\]\((?<name>[^)]+)\.md\) \| (?<idea>\S.*?) \| (?<code>.+) \|$/gm;

const cards = globSync("*.md", { cwd: folder })
  .map((file) => basename(file, ".md"))
  .filter((name) => name !== "README")
  .sort();
const rows = [...read("README").matchAll(ROW)].map(({ groups }) => groups);

it.each(cards)("%s: is linked by the cards that it links to", (name) => {
  const links = linksOf(name);
  expect(links, "at least one link").not.toEqual([]);
  expect(links.filter((link) => !cards.includes(link) || !linksOf(link).includes(name))).toEqual(
    [],
  );
});

it.each(cards)("%s: names a source, and the decisions and documents in it exist", (name) => {
  const [, , , source = ""] = HEAD.exec(read(name)) ?? [];
  expect(source).not.toBe("");
  const decisions = [...source.matchAll(/\b\d{4}\b/g)].map(([number]) => number);
  const named = decisions.filter((number) => number.startsWith("0"));
  const missing = named.filter((number) => decisionFiles(number).length !== 1);
  const documents = [...source.matchAll(/\b(?:docs\/)?[\w-]+\.md\b/g)].map(([path]) => path);
  expect(missing).toEqual([]);
  expect(documents.filter((path) => !existsSync(join(folder, "..", path)))).toEqual([]);
});

it("the index lists every card once, under its title, with a pointer to code that exists", () => {
  expect(rows.map(({ name }) => name).sort()).toEqual(cards);
  for (const { name, title, code } of rows) {
    expect(title).toBe(HEAD.exec(read(name))?.[1]);
    const pointers = [...code.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, path]) => path);
    expect(pointers, `${name}: a pointer to code`).not.toEqual([]);
    expect(pointers.filter((path) => !existsSync(join(folder, "..", path)))).toEqual([]);
  }
});

/** Empty for a card whose front matter is not as it should be. */
function linksOf(name) {
  const [, , links] = HEAD.exec(read(name)) ?? [];
  return links?.split(", ") ?? [];
}

function decisionFiles(number) {
  return globSync(`docs/decisions/${number}-*.md`, { cwd: join(folder, "..") });
}

function read(name) {
  return readFileSync(join(folder, `${name}.md`), "utf8");
}
