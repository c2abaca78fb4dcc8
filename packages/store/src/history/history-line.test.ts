import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { HistoryLine } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeHistoryLine, encodeHistoryLine } from "./history-line.ts";

const count = fc.nat();
const text = fc.string({ unit: "binary" });
const anyLine: fc.Arbitrary<HistoryLine> = fc.record({
  threadId: fc.constantFrom("01HF0000000001ABCDEFGH0001", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"),
  workflow: text,
  bundleHash: fc.constantFrom("D4KP4Y6MRRVJV", "0000000000000"),
  status: fc.constantFrom("completed", "failed", "aborted"),
  returnCode: count,
  summary: text,
  head: fc.constantFrom("EYHPV6X8XHTCS", "FZZZZZZZZZZZZ"),
  headSha256: text,
  stepCount: count,
  startedAt: count,
  finishedAt: count,
});

test("every line is one line, and decodes to what was encoded", () => {
  fc.assert(
    fc.property(anyLine, (line) => {
      const encoded = encodeHistoryLine(line);
      expect(encoded).not.toContain("\n");
      expect(decodeHistoryLine(encoded)).toEqual(line);
    }),
  );
});

test("whatever is in a file, decoding does not throw", () => {
  fc.assert(
    fc.property(fc.oneof(text, fc.json()), (garbage) => {
      expect(decodeHistoryLine(garbage)).toBeNull();
    }),
  );
});

test("a line cut short anywhere is none", () => {
  fc.assert(
    fc.property(anyLine, fc.nat(), (line, at) => {
      const encoded = encodeHistoryLine(line);
      expect(decodeHistoryLine(encoded.slice(0, at % encoded.length))).toBeNull();
    }),
  );
});

test("keys that a later version adds do not hide a line", async () => {
  const line = JSON.parse(await golden());
  expect(decodeHistoryLine(JSON.stringify({ ...line, more: true }))).toEqual(line);
});

test("the bytes of a line are these", async () => {
  const line = {
    finishedAt: 1_776_945_600_000,
    startedAt: 1_776_945_540_000,
    stepCount: 5,
    headSha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    head: "EYHPV6X8XHTCS",
    summary: 'Fixed: "né" \u2028 done.\n',
    returnCode: 0,
    status: "completed",
    bundleHash: "D4KP4Y6MRRVJV",
    workflow: "solve-issue",
    threadId: "01HF0000000001ABCDEFGH0001",
  } as const;
  expect(`${encodeHistoryLine(line)}\n`).toBe(await golden());
});

function golden(): Promise<string> {
  return readFile(fileURLToPath(new URL("golden/history-line.jsonl", import.meta.url)), "utf8");
}
