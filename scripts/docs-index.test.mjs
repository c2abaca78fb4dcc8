/** Whoever begins at the README finds every page and every package. */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

it("the README lists every page of the documentation, once", () => {
  const pages = globSync("docs/*.md", { cwd: root });
  const folders = ["docs/agents/README.md", "docs/errors/README.md", "docs/decisions"];
  const listed = targets("README.md", "Documentation").filter((target) =>
    target.startsWith("docs/"),
  );
  expect(listed.sort()).toEqual([...pages, ...folders].sort());
});

it("the README lists every package and template, once", () => {
  const folders = globSync("{packages,templates}/*/package.json", { cwd: root }).map(dirname);
  expect(targets("README.md", "Packages").sort()).toEqual(folders.sort());
});

it("the page of agents leads to the page of each", () => {
  const pages = globSync("docs/agents/*.md", { cwd: root }).map((page) => basename(page));
  const linked = new Set(targets("docs/agents/README.md", "Agents"));
  expect(pages.filter((page) => page !== "README.md" && !linked.has(page))).toEqual([]);
});

/** Where the links of a section lead, in the order in which they stand there. */
function targets(document, heading) {
  const text = readFileSync(`${root}/${document}`, "utf8");
  const [, after = ""] = text.split(new RegExp(`^#+ ${heading}$`, "m"));
  const [section = ""] = after.split(/^## /m);
  return [...section.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
}
