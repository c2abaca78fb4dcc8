import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Failure, failureFrom, type HistoryLine } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sampleHash, sampleId, sampleSha256 } from "../suite/sample-threads.ts";
import { appendHistory, appendRemoval, readHistory } from "./history.ts";

const BUNDLE = "D4KP4Y6MRRVJV";
const OTHER = "0123456789ABC";
const NOON = Date.UTC(2026, 3, 23, 12);

let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "store-"));
  folder = join(root, "bundles", BUNDLE, "history");
});
afterEach(() => rm(root, { recursive: true, force: true }));

test("what was appended is read back, in the order of the ends", async () => {
  const lines = [1, 2, 3].map((n) => sampleLine(n, {}));
  for (const line of lines) appendHistory(root, line);
  expect(await ended()).toEqual(lines);
});

test("a line goes to the file of its day in UTC", async () => {
  const midnight = Date.UTC(2026, 3, 24);
  appendHistory(root, sampleLine(1, { finishedAt: midnight - 1 }));
  appendHistory(root, sampleLine(2, { finishedAt: midnight }));
  expect((await readdir(folder)).sort()).toEqual(["2026-04-23.jsonl", "2026-04-24.jsonl"]);
  const lines = await ended();
  expect(lines.map((line) => line.threadId)).toEqual([sampleId(1), sampleId(2)]);
});

test("a bundle that finished nothing has an empty history", async () => {
  expect(await ended()).toEqual([]);
});

test("a line that a crash cut short is closed before the next, and passed over", async () => {
  const [first, torn, next] = [1, 2, 3].map((n) => sampleLine(n, {}));
  if (!first || !torn || !next) throw new Error("three lines");
  appendHistory(root, first);
  await appendFile(day(), JSON.stringify(torn).slice(0, 100));
  appendHistory(root, next);
  expect((await readFile(day(), "utf8")).split("\n")).toHaveLength(4);
  expect(await ended()).toEqual([first, next]);
});

test("anything that is not a line of history is skipped, wherever it is", async () => {
  const line = sampleLine(1, {});
  await mkdir(folder, { recursive: true });
  const odd = ["", "null", "[1]", '"text"', "{}", "{", JSON.stringify({ ...line, stepCount: "7" })];
  await writeFile(day(), `${odd.join("\n")}\n`);
  appendHistory(root, line);
  await appendFile(day(), "\n\n# checked by hand\n");
  await writeFile(join(folder, "notes.txt"), JSON.stringify(sampleLine(2, {})));
  expect(await ended()).toEqual([line]);
});

test("of a thread that ended twice the last line is the true one", async () => {
  const again = sampleLine(1, {
    status: "completed",
    returnCode: 0,
    finishedAt: NOON + 86_400_000,
  });
  appendHistory(root, sampleLine(1, { status: "failed", returnCode: 1 }));
  appendHistory(root, sampleLine(2, {}));
  appendHistory(root, again);
  expect(await ended()).toEqual([again, sampleLine(2, {})]);
});

test("of a thread that went over to another bundle in between the later line is the true one", async () => {
  for (const [first, second] of [
    [BUNDLE, OTHER],
    [OTHER, BUNDLE],
  ] as const) {
    await rm(join(root, "bundles"), { recursive: true, force: true });
    const again = sampleLine(1, { bundleHash: second, finishedAt: NOON + 1 });
    appendHistory(root, sampleLine(1, { bundleHash: first }));
    appendHistory(root, again);
    expect(await ended()).toEqual([again]);
  }
});

test("a removed thread is no longer listed, unless it ended after that", async () => {
  appendHistory(root, sampleLine(1, {}));
  appendHistory(root, sampleLine(2, { bundleHash: OTHER, finishedAt: NOON + 9 }));
  for (const n of [1, 2]) {
    appendRemoval(root, { threadId: sampleId(n), bundleHash: BUNDLE, removedAt: NOON + n });
  }
  expect(await readHistory(root)).toEqual({
    ended: [sampleLine(2, { bundleHash: OTHER, finishedAt: NOON + 9 })],
    lastRemovalAt: NOON + 2,
  });
});

test("many lines at once are each whole", async () => {
  const lines = Array.from({ length: 50 }, (_, n) =>
    sampleLine(n, { summary: String(n).repeat(3_000) }),
  );
  for (const line of lines) appendHistory(root, line);
  const read = await ended();
  read.sort((a, b) => (a.threadId < b.threadId ? -1 : 1));
  expect(read).toEqual(lines);
});

test("a folder where the file should be is a failure that names it", async () => {
  await mkdir(day(), { recursive: true });
  const reason = failureOf(() => appendHistory(root, sampleLine(1, {})));
  expect(reason.code).toBe("STORAGE_FAILED");
  expect(reason.message).toContain(day());
});

test("a bundle hash that is none never becomes a path", async () => {
  const line = sampleLine(1, { bundleHash: "../../../etc" });
  expect(failureOf(() => appendHistory(root, line)).code).toBe("USAGE");
  expect(await readdir(root)).toEqual([]);
});

function failureOf(deed: () => void): Failure {
  try {
    deed();
  } catch (thrown) {
    return failureFrom(thrown, "INTERNAL");
  }
  throw new Error("it did not fail");
}

async function ended(): Promise<HistoryLine[]> {
  return (await readHistory(root)).ended;
}

function day(): string {
  return join(folder, "2026-04-23.jsonl");
}

function sampleLine(n: number, changes: Partial<HistoryLine>): HistoryLine {
  return {
    threadId: sampleId(n),
    workflow: "solve-issue",
    bundleHash: BUNDLE,
    status: "completed",
    returnCode: 0,
    summary: "Fixed.\nAll tests pass: “ok”\u2028.",
    head: sampleHash(n),
    headSha256: sampleSha256(n),
    stepCount: 5,
    startedAt: NOON - 60_000,
    finishedAt: NOON,
    ...changes,
  };
}
