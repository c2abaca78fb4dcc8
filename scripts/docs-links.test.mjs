/** Links between the documents of this repository lead somewhere, headings included. */
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const documents = globSync(
  ["*.md", ".cards/*.md", "bench/*.md", "docs/**/*.md", "{packages,templates}/*/README.md"],
  { cwd: root },
).sort();

it.each(documents)("%s: its links lead somewhere", (document) => {
  const text = withoutCode(read(document));
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
  const local = targets.filter((target) => !/^[a-z]+:/.test(target));
  expect(local.filter((target) => !leadsSomewhere(document, target))).toEqual([]);
});

function leadsSomewhere(document, target) {
  const [path, heading] = target.split("#");
  const found = path === "" ? document : join(dirname(document), path);
  if (!existsSync(join(root, found))) return false;
  if (heading === undefined) return true;
  return statSync(join(root, found)).isFile() && headings(read(found)).includes(heading);
}

/** As code hosts name them. */
function headings(text) {
  return [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function withoutCode(text) {
  return text.replace(/^```[\s\S]*?^```$/gm, "");
}

function read(path) {
  return readFileSync(join(root, path), "utf8");
}
