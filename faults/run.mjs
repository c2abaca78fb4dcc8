/** Injects faults into the built command and says what became of it:
 *  `node faults/run.mjs [--short] [--case=text] [--jobs=n] [class …]`. With `--case` only cases whose names contain the
 *  text; with `--jobs` so many side by side. Prints a table; `.cache/faults-report.json` has the same with every case that
 *  fell short. Exit code 1 if one did, 2 for a machine on which the faults cannot be made: nothing is skipped. */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clearAway } from "./parts/clear-away.mjs";
import { missingMeans } from "./parts/means.mjs";
import { runCases } from "./parts/run-cases.mjs";
import { makeTemplates } from "./parts/scene.mjs";

const REPORT = fileURLToPath(new URL("../.cache/faults-report.json", import.meta.url));
const CASE = "--case=";
const JOBS = "--jobs=";
/** More than there are processors: a good part of a case is waiting, for a lease to run out or for a disk. */
const MOST_JOBS = 2 * availableParallelism();

async function main(args) {
  const thorough = !args.includes("--short");
  const wanted = args.filter((each) => !each.startsWith("--"));
  const given = (flag) => args.find((each) => each.startsWith(flag))?.slice(flag.length);
  const only = given(CASE) ?? "";
  const jobs = Number(given(JOBS) ?? MOST_JOBS);
  if (!Number.isInteger(jobs) || jobs < 1) {
    console.error(`${JOBS}<n> needs a number above 0`);
    return 2;
  }
  const files = readdirSync(new URL("classes/", import.meta.url)).filter(
    (file) => wanted.length === 0 || wanted.some((part) => file.includes(part)),
  );
  const missing = missingMeans();
  if (missing.length > 0 || files.length === 0) {
    console.error(files.length === 0 ? `no such class: ${wanted.join(", ")}` : missing.join("\n"));
    return 2;
  }
  // In memory, where a flush costs nothing; what a flush is worth is tried on file systems of its own.
  const folder = mkdtempSync("/dev/shm/faults-");
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      clearAway(folder);
      process.exit(130);
    });
  }
  const startedAt = Date.now();
  try {
    const bundles = await makeTemplates(folder);
    const rows = [];
    for (const file of files.sort()) {
      const { title, cases } = await import(`./classes/${file}`);
      const name = file.replace(".mjs", "");
      const row = await runCases({ name, title, cases }, { folder, thorough, bundles, only, jobs });
      rows.push(row);
      print(row);
    }
    return report(rows, { thorough, tookMs: Date.now() - startedAt });
  } finally {
    clearAway(folder);
  }
}

function print({ name, title, ran, missed, short, tookMs, goneOnMs, fallen }) {
  const counts = [`${ran} cases`, `${missed} missed`, `${short} fell short`];
  const figures = counts.map((each) => each.padStart(13)).join("");
  console.log(
    `${name.padEnd(16)}${figures}  ${(tookMs / 1000).toFixed(0).padStart(5)} s  ${title}`,
  );
  if (goneOnMs.length > 0) {
    const at = (share) => goneOnMs[Math.ceil(share * goneOnMs.length) - 1];
    console.log(`    went on after: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms`);
  }
  for (const each of fallen)
    console.log(`    ${each.name}\n      ${each.why.replaceAll("\n", "\n      ")}`);
}

function report(rows, { thorough, tookMs }) {
  const ran = rows.reduce((sum, row) => sum + row.ran, 0);
  const short = rows.reduce((sum, row) => sum + row.short, 0);
  mkdirSync(join(REPORT, ".."), { recursive: true });
  const document = { form: thorough ? "long" : "short", tookMs, ran, short, classes: rows };
  writeFileSync(REPORT, `${JSON.stringify(document, null, 2)}\n`);
  console.log(`faults: ${ran} cases, ${short} fell short, ${(tookMs / 1000).toFixed(0)} s`);
  return short === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
