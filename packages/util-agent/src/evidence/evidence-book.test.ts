import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { ToolCallRecord } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { fakeCas } from "../testing/fake-cas.ts";
import { seenCall } from "../testing/fake-driver.test.helper.ts";
import { evidenceBook } from "./evidence-book.ts";

const requirements = [{ name: "tests", kind: "execute", input: "^npm test$" }] as const;
const plain = (text: string): string => text;

function stored(texts: ReadonlyMap<string, string>, hash: string | undefined): ToolCallRecord {
  return JSON.parse(texts.get(hash ?? "") ?? "null");
}

describe("an evidence book", () => {
  it("stores a call as exactly this text", async () => {
    const cas = fakeCas();
    const book = evidenceBook({ cwd: tmpdir(), cas, requirements: [], redact: plain });
    book.seen(seenCall({}));
    const { hashes } = await book.kept();
    expect(cas.texts.get(hashes[0] ?? "")).toBe(`{
  "id": "1",
  "name": "Bash",
  "kind": "execute",
  "subject": "npm test",
  "input": {
    "command": "npm test"
  },
  "output": "ok",
  "ok": true,
  "exitCode": 0,
  "durationMs": 5,
  "timestamp": 1763730000000
}`);
  });

  it("shortens long texts, and judges them as they are stored", async () => {
    const cas = fakeCas();
    const long = `${"x".repeat(1_000_000)} npm publish`;
    const book = evidenceBook({
      cwd: tmpdir(),
      cas,
      requirements: [{ name: "published", kind: "execute", input: "npm publish$" }],
      redact: plain,
    });
    book.seen(seenCall({ subject: `${long}`, input: { command: long }, output: long }));
    expect(book.missing(), "who looks later sees no more").toHaveLength(1);
    const { hashes } = await book.kept();
    const call = stored(cas.texts, hashes[0]);
    expect(call.subject.length).toBeLessThan(4_200);
    expect(call.output).toMatch(/^x+\n\[… \d+ characters left out …\]\nx+ npm publish$/);
    expect(call.input).toEqual(expect.stringContaining("characters left out"));
  });

  it("names a thousand of ten thousand calls: the first, the latest, and what was required", async () => {
    const cas = fakeCas();
    const book = evidenceBook({ cwd: tmpdir(), cas, requirements, redact: plain });
    for (let at = 0; at < 10_000; at++) {
      book.seen(seenCall({ id: String(at), subject: at === 5_000 ? "npm test" : "ls" }));
      if (at % 100 === 0) await sleep(0);
    }
    const { hashes, dropped } = await book.kept();
    const ids = hashes.map((hash) => Number(stored(cas.texts, hash).id));
    expect(hashes).toHaveLength(1_000);
    expect(dropped).toBe(9_000);
    expect(ids.slice(0, 500)).toEqual(Array.from({ length: 500 }, (_, at) => at));
    expect(ids).toContain(5_000);
    expect(ids.at(-1)).toBe(9_999);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  it("does not let calls pile up before a slow store", async () => {
    const cas = fakeCas();
    const slow = async (text: string): Promise<string> => {
      await sleep(1);
      return cas.put(text);
    };
    const book = evidenceBook({ cwd: tmpdir(), cas: { put: slow }, requirements, redact: plain });
    for (let at = 0; at < 3_000; at++) book.seen(seenCall({ id: String(at), subject: "ls" }));
    book.seen(seenCall({ id: "required" }));
    const { hashes, dropped } = await book.kept();
    expect(hashes).toHaveLength(1_000);
    expect(dropped).toBe(2_001);
    expect(stored(cas.texts, hashes.at(-1)).id).toBe("required");
  });

  it("rejects with the store's error when the record is asked for", async () => {
    const put = () => Promise.reject(new Error("the disk is full"));
    const book = evidenceBook({ cwd: tmpdir(), cas: { put }, requirements, redact: plain });
    book.seen(seenCall({}));
    await expect(book.kept()).rejects.toThrow("the disk is full");
  });
});
