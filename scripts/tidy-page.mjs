/** Leaves in the built page what the last build wrote, and nothing else. Names have hashes in them, so every change of the
 *  page leaves files behind, and a build that comes out of turbo's cache only adds to what is there: they would be served,
 *  packed and counted. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const PAGE = fileURLToPath(new URL("../packages/gateway/dist/page/", import.meta.url));
/** The names of all files of the page, as the build wrote them; it comes out of the cache with them. */
export const LIST = fileURLToPath(
  new URL("../packages/dashboard/dist/page-files.json", import.meta.url),
);

if (process.argv[1] === fileURLToPath(import.meta.url))
  tidyPage(PAGE, JSON.parse(readFileSync(LIST, "utf8")));

/** Removes every file of `folder` that `names` does not have; returns what it removed. */
export function tidyPage(folder, names) {
  const kept = new Set(names);
  const strays = filesIn(folder).filter((name) => !kept.has(name));
  for (const name of strays) rmSync(join(folder, name), { force: true });
  return strays;
}

/** Names below `folder`, with slashes. */
export function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, "x").length - 1))
    .map((name) => name.replaceAll("\\", "/"))
    .sort();
}
