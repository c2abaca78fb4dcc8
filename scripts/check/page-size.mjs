import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** What the page may weigh, as browsers fetch it with gzip. Bytes. */
export const MOST_FIRST = 120 * 1024;
export const MOST_ALL = 450 * 1024;

/** The view that most people see first, beside what every view needs. */
const FIRST_VIEW = "threads-page-";

/** How the built page in `folder` exceeds its sizes; empty when it does not. */
export function pageSizeProblems(folder) {
  if (!existsSync(join(folder, "index.html"))) return [`${folder}: the page is not built`];
  const assets = readdirSync(join(folder, "assets"));
  const first = firstFiles(folder, assets).reduce((sum, name) => sum + weight(folder, name), 0);
  const all = assets
    .filter((name) => /\.(js|css|svg)$/.test(name))
    .reduce((sum, name) => sum + weight(folder, name), 0);
  return [
    ...tooMuch("what the first view loads", first, MOST_FIRST),
    ...tooMuch("the whole page", all, MOST_ALL),
  ];
}

function tooMuch(what, bytes, most) {
  const kib = (n) => (n / 1024).toFixed(1);
  return bytes <= most ? [] : [`${what} is ${kib(bytes)} KiB gzipped; ${kib(most)} are allowed`];
}

/** What the document names, and what the first view imports. */
function firstFiles(folder, assets) {
  const document = readFileSync(join(folder, "index.html"), "utf8");
  const named = [...document.matchAll(/\/assets\/([\w.-]+\.(?:js|css|svg))/g)].map(
    ([, name]) => name,
  );
  const found = new Set(named);
  const queue = assets.filter((name) => name.startsWith(FIRST_VIEW) && name.endsWith(".js"));
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    const code = readFileSync(join(folder, "assets", next), "utf8");
    for (const [, name] of code.matchAll(/from\s*"\.\/([\w.-]+\.js)"/g)) queue.push(name);
  }
  return [...found];
}

const weight = (folder, name) => statSync(join(folder, "assets", `${name}.gz`)).size;
