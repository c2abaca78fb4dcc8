/** Prints `N passed, N failed` from JSON test reports: `node .ci/summary.mjs <report …>`; before it, what failed and
 *  why, for where only the end of a log is kept. Exit code 1 if a test failed, a file could not be loaded, a test was
 *  skipped or none ran. */
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const MOST_LINES = 12;
const MOST_CHARS = 400;
/** What a hook of a suite says is in no report. */
const NOT_RUN = "did not run; if a hook failed, the log of its part says why";

/** A part that wrote no report has failed. */
const UNREADABLE = { name: "", message: "", status: "failed", assertionResults: [] };

const testResults = process.argv.slice(2).flatMap((file) => readReport(file).testResults);
const { passed, failed, skipped } = count({ testResults });
for (const each of testResults.flatMap(failuresOf)) console.error(each);
if (passed + failed === 0) console.error("ci: no test ran");
if (skipped > 0) console.error(`ci: ${skipped} tests were skipped`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = passed > 0 && failed === 0 && skipped === 0 ? 0 : 1;

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    console.error(`ci: there is no readable test report: ${error.message}`);
    return { testResults: [UNREADABLE] };
  }
}

function failuresOf({ name, message, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === "failed");
  const texts = failed.map(
    ({ fullName, failureMessages }) => `${fullName}\n${firstLines(failureMessages.join("\n"))}`,
  );
  if (texts.length === 0 && message) texts.push(`it could not be loaded\n${firstLines(message)}`);
  const skipped = assertionResults.filter(isSkipped).map(({ fullName }) => fullName);
  if (skipped.length > 0) texts.push(`${NOT_RUN}\n${firstLines(skipped.join("\n"))}`);
  return texts.map((text) => `ci: failed: ${relative(process.cwd(), name)}: ${text}`);
}

function isSkipped({ status }) {
  return status !== "passed" && status !== "failed";
}

function firstLines(text) {
  return text
    .split("\n")
    .slice(0, MOST_LINES)
    .map((line) => `    ${line.slice(0, MOST_CHARS)}`)
    .join("\n");
}

/** A file that failed without a failed test (it did not load) counts as one failure. */
function count({ testResults }) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const file of testResults) {
    const states = file.assertionResults.map(({ status }) => status);
    const failures = states.filter((status) => status === "failed").length;
    total.passed += states.filter((status) => status === "passed").length;
    total.failed += failures === 0 && file.status === "failed" ? 1 : failures;
    total.skipped += file.assertionResults.filter(isSkipped).length;
  }
  return total;
}
