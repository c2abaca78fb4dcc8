import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MOST_ALL, MOST_FIRST, pageSizeProblems } from "./page-size.mjs";

/** A built page: names of assets, with their code and what they weigh. */
function problemsOf(assets) {
  const folder = mkdtempSync(join(tmpdir(), "uwf-page-"));
  try {
    mkdirSync(join(folder, "assets"));
    writeFileSync(join(folder, "index.html"), '<script src="/assets/index-a.js"></script>');
    for (const [name, { code = "", bytes }] of Object.entries(assets)) {
      writeFileSync(join(folder, "assets", name), code);
      writeFileSync(join(folder, "assets", `${name}.gz`), Buffer.alloc(bytes));
    }
    return pageSizeProblems(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a page within its sizes passes", () => {
  expect(
    problemsOf({ "index-a.js": { bytes: MOST_FIRST }, "late-b.js": { bytes: 1_000 } }),
  ).toEqual([]);
});

test("what the first view imports counts for it", () => {
  const problems = problemsOf({
    "index-a.js": { bytes: MOST_FIRST - 10 },
    "threads-page-b.js": { code: 'import{x}from"./list-c.js";', bytes: 5 },
    "list-c.js": { bytes: 20 },
  });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^what the first view loads is 120\.0 KiB gzipped/);
});

test("everything that can be loaded counts for the whole", () => {
  const problems = problemsOf({ "index-a.js": { bytes: 1 }, "late-b.js": { bytes: MOST_ALL } });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^the whole page is 450\.0 KiB gzipped/);
});

test("a page that was not built is said to be so", () => {
  expect(pageSizeProblems(join(tmpdir(), "uwf-no-page"))[0]).toMatch(/not built/);
});
