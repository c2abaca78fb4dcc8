/** Every release note names the packages it is about, and only packages that are published. */
import { globSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const published = globSync("{packages,templates}/*/package.json", { cwd: root })
  .map((file) => JSON.parse(readFileSync(`${root}${file}`, "utf8")))
  .filter((manifest) => manifest.private !== true)
  .map(({ name }) => name);
const notes = readdirSync(`${root}.changeset`).filter((name) => /^[a-z].*\.md$/.test(name));

it.each(notes)("%s names published packages, and says something", (name) => {
  const text = readFileSync(`${root}.changeset/${name}`, "utf8");
  const [, front = "", words = ""] = /^---\n(.*?)---\n(.*)$/s.exec(text) ?? [];
  const named = front.trimEnd().split("\n");
  for (const line of named) expect(line).toMatch(/^"[^"]+": (patch|minor|major)$/);
  expect(published).toEqual(expect.arrayContaining(named.map((line) => line.split('"')[1])));
  expect(words.trim()).not.toBe("");
});
