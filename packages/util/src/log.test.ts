import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { debugLog } from "./log.ts";

const folder = mkdtempSync(join(tmpdir(), "util-log-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("each line is one JSON object with tag, content and timestamp", () => {
  const file = join(folder, "thread.info.jsonl");
  const log = debugLog(file, () => 1_716_000_000_000);
  log.write("4KNMR2PX", "step 1\nof two");
  log.write("7BQST3VW", "ünïcode \u2028");
  expect(readFileSync(file, "utf8")).toBe(
    '{"tag":"4KNMR2PX","content":"step 1\\nof two","timestamp":1716000000000}\n' +
      '{"tag":"7BQST3VW","content":"ünïcode \u2028","timestamp":1716000000000}\n',
  );
});

test("only its owner may read the log", () => {
  const file = join(folder, "private.info.jsonl");
  debugLog(file, Date.now).write("4KNMR2PX", "x");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a log that cannot be written stops nothing", () => {
  const log = debugLog(join(folder, "no", "such", "folder.jsonl"), Date.now);
  expect(() => log.write("4KNMR2PX", "lost")).not.toThrow();
});
