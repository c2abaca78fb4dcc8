import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const SUMMARY = fileURLToPath(new URL("../.ci/summary.mjs", import.meta.url));

let folder;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "summary-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the sum of the tests", () => {
  it("is the last line, and is well when all passed", () => {
    expect(summary([test("passed"), test("passed")])).toEqual({
      code: 0,
      lines: ["2 passed, 0 failed"],
    });
  });

  it("says before it what failed, and why", () => {
    const { code, lines } = summary([test("passed"), test("failed")]);
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^ci: failed: .*sums\.test\.ts: adds up$/),
      "    expected 3 to be 4",
      "1 passed, 1 failed",
    ]);
  });

  it("counts a file that could not be loaded as a failure", () => {
    const { code, lines } = summary([], { status: "failed", message: "SyntaxError: no" });
    expect(code).toBe(1);
    expect(lines).toContain("    SyntaxError: no");
    expect(lines.at(-1)).toBe("0 passed, 1 failed");
  });

  it("says which tests did not run", () => {
    const { lines } = summary([test("passed"), test("skipped")], { status: "failed" });
    expect(lines).toEqual([
      expect.stringMatching(/^ci: failed: .*sums\.test\.ts: did not run; if a hook failed, /),
      "    adds up",
      "ci: 1 tests were skipped",
      "1 passed, 1 failed",
    ]);
  });

  it.each([
    ["a test was skipped", [test("passed"), test("skipped")]],
    ["no test ran", []],
  ])("is not well when %s", (_why, tests) => {
    expect(summary(tests).code).toBe(1);
  });

  it("is not well when a part wrote no report", () => {
    expect(run([join(folder, "nowhere.json")]).code).toBe(1);
  });
});

function test(status) {
  const failureMessages = status === "failed" ? ["expected 3 to be 4"] : [];
  return { status, fullName: "adds up", failureMessages };
}

function summary(assertionResults, more = {}) {
  const file = { name: join(folder, "sums.test.ts"), message: "", status: "passed", ...more };
  const report = join(folder, "report.json");
  writeFileSync(report, JSON.stringify({ testResults: [{ ...file, assertionResults }] }));
  return run([report]);
}

function run(reports) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SUMMARY, ...reports], {
    encoding: "utf8",
  });
  return { code: status, lines: `${stderr}${stdout}`.trimEnd().split("\n") };
}
