/** What is specific to a live log in files: crashes, torn lines, and other files in its folder. */
import { spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LiveItem, LiveLog } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventsOf, readEnd, readUntil, says, THREAD, textsOf } from "../live-suite.ts";
import { fileLiveLog } from "./file-live-log.ts";

const WRITER = fileURLToPath(new URL("../fixtures/live-writer.mjs", import.meta.url));

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "uwf-segments-")), "thread.live");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

function open(boot = "this boot"): LiveLog {
  return fileLiveLog({ folder: () => folder, boot: () => boot });
}

function write(fence: number, texts: readonly string[], boot?: string): void {
  const writer = open(boot).writer({ threadId: THREAD, fence });
  for (const text of texts) writer.append(says(text));
  writer.close();
}

const files = (): string[] => readdirSync(folder).sort();
const newest = (): string => join(folder, files().at(-1) ?? "");
const accounted = (items: readonly LiveItem[]): number[] =>
  items.flatMap((item) =>
    item.type === "gap"
      ? Array.from({ length: item.to - item.from + 1 }, (_, at) => item.from + at)
      : [item.seq],
  );
const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

describe("files of a live log", () => {
  it("are for this user only, and few: a short one is taken over by the next owner", () => {
    for (let fence = 1; fence <= 30; fence += 1) write(fence, [`${fence}`]);
    expect(files()).toEqual(["000030-000001.jsonl"]);
    expect(statSync(newest()).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("lose nothing that was written, however often and whenever the writer is killed", async () => {
    const log = open();
    const isLast = (item: LiveItem): boolean => textsOf([item])[0] === "the end";
    const following = readUntil(log, { after: 0, isLast });
    for (let fence = 1; fence <= 12; fence += 1) {
      const child = spawn(process.execPath, [WRITER, folder, String(fence)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await new Promise((resolve) => child.stdout.once("data", resolve));
      await new Promise((resolve) => setTimeout(resolve, 10 + ((fence * 53) % 140)));
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
      if (fence % 3 === 0) appendFileSync(newest(), '{"seq":7,"threadId":"01M7');
    }
    write(13, ["the end"]);
    const last = await log.last(THREAD);
    const items = await readEnd(log);
    expect(accounted(items)).toEqual(upTo(last));
    const texts = textsOf(items).map((text) => (text.split(" ")[0] ?? "").split("/").map(Number));
    const broken = texts.slice(1, -1).filter(([fence = 0, count = 0], at) => {
      const [before = 0, counted = 0] = texts[at] ?? [];
      return fence === before ? count !== counted + 1 : fence < before || count !== 1;
    });
    expect(broken).toEqual([]);
    // A continuous follower saw the same, and each number once.
    const followed = await following;
    expect(accounted(followed)).toEqual(upTo(last));
    const kept = new Set(eventsOf(items).map((event) => JSON.stringify(event)));
    const from = eventsOf(items)[0]?.seq ?? 0;
    const differing = eventsOf(followed).filter(
      (event) => event.seq >= from && !kept.has(JSON.stringify(event)),
    );
    expect(differing).toEqual([]);
  }, 120_000);

  it("skip a torn line, and reuse its number once it is certain that nobody saw it", async () => {
    write(1, ["one", "two"]);
    const [line = ""] = readFileSync(newest(), "utf8").split("\n").slice(2);
    truncateSync(newest(), statSync(newest()).size - '{"closed":true}\n'.length);
    appendFileSync(newest(), line.slice(0, 40));
    const reading = readUntil(open(), {
      after: 0,
      isLast: (item) => "seq" in item && item.seq === 4,
    });
    write(2, ["three", "four"]);
    expect(textsOf(await reading)).toEqual(["one", "two", "three", "four"]);
    expect(accounted(await readEnd(open()))).toEqual([1, 2, 3, 4]);
  });

  it("say that events are gone whose lines are damaged, and show the rest", async () => {
    write(1, ["one", "two", "three"]);
    const path = newest();
    const lines = readFileSync(path, "utf8").split("\n");
    lines[2] = `${lines[2]?.slice(0, 30)}\u0000\u0000`;
    writeFileSync(path, lines.join("\n"));
    expect(await readEnd(open())).toMatchObject([
      { seq: 1 },
      { type: "gap", from: 2, to: 2 },
      { seq: 3 },
    ]);
  });

  it("believe no line that is not theirs", async () => {
    write(1, ["one", "two"]);
    const [, line = ""] = readFileSync(newest(), "utf8").split("\n");
    const forged = [
      "x".repeat(8 * 1024 * 1024),
      line.replace('"seq":1', '"seq":9007199254740991'),
      line.replace('"seq":1', '"seq":1e300').replace("one", "far"),
      line.replace(THREAD, "01M7Z9WNCVHA4DP8Y98XX3ZSRH"),
      line.replace('"seq":1', '"seq":-1'),
      line.replace('"agent"', '"surprise"'),
      "[]",
      "null",
      "",
      "\u0000",
    ];
    appendFileSync(newest(), `${forged.join("\n")}\n`);
    expect(textsOf(await readEnd(open()))).toEqual(["one", "two"]);
    write(2, ["three"]);
    expect(textsOf(await readEnd(open()))).toEqual(["one", "two", "three"]);
  });

  it("ignore other files in the folder", async () => {
    mkdirSync(folder, { recursive: true });
    mkdirSync(join(folder, "000009-000001.jsonl"));
    writeFileSync(join(folder, "000001-000007.jsonl"), "no header\n");
    writeFileSync(join(folder, "notes.txt"), "mine");
    writeFileSync(join(folder, "1-1.jsonl.bak"), "mine");
    expect(await readEnd(open())).toEqual([]);
    write(10, ["one"]);
    expect(textsOf(await readEnd(open()))).toEqual(["one"]);
    expect(files()).toContain("notes.txt");
  });

  it("hold back what follows a claim until it is known with which number its owner begins", async () => {
    const first = open().writer({ threadId: THREAD, fence: 1 });
    first.append(says("one"));
    const log = open();
    first.append(says("two"));
    first.close();
    const seen: string[] = [];
    const abort = new AbortController();
    const opts = { after: 0, until: "aborted", signal: abort.signal } as const;
    const reading = (async () => {
      for await (const item of log.read(THREAD, opts)) {
        seen.push(...textsOf([item]));
        if (seen.includes("four")) abort.abort();
      }
    })();
    while (seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    // An owner that was killed right after its claim, and an earlier one that does not know of it.
    writeFileSync(join(folder, "000002-000001.jsonl"), "");
    const [header = "", line = ""] = readFileSync(
      join(folder, "000001-000001.jsonl"),
      "utf8",
    ).split("\n");
    expect(header).toContain('"first":1');
    const zombie = line.replace('"seq":1', '"seq":3').replace("one", "zombie");
    appendFileSync(join(folder, "000001-000001.jsonl"), `${zombie}\n`);
    write(3, ["three", "four"]);
    await reading;
    expect(seen.filter((text) => text !== "zombie")).toEqual(["one", "two", "three", "four"]);
  });

  it("leave room in the numbers when the machine went down with events that were perhaps seen", async () => {
    write(1, ["one", "two", "three"], "first boot");
    truncateSync(newest(), statSync(newest()).size - 40);
    write(2, ["after"], "second boot");
    const items = await readEnd(open());
    expect(textsOf(items)).toEqual(["one", "two", "after"]);
    expect(items[2]).toMatchObject({ type: "gap", from: 3 });
    // A browser that had seen up to 3, or more than is left, misses nothing from now on.
    expect(textsOf(await readEnd(open(), 3))).toEqual(["after"]);
    write(3, ["closed"], "second boot");
    write(4, ["sound"], "third boot");
    const [closed, sound] = eventsOf(await readEnd(open())).slice(-2);
    expect(sound?.seq).toBe(Number(closed?.seq) + 1);
  });

  it("cost the display and not the run when they cannot be written, and say so later", async () => {
    mkdirSync(join(folder, ".."), { recursive: true });
    writeFileSync(folder, "a file in the place of the folder");
    const log = open();
    const writer = log.writer({ threadId: THREAD, fence: 1 });
    writer.append(says("lost"));
    log.flush(THREAD);
    expect(await readEnd(log)).toEqual([]);
    rmSync(folder);
    writer.append(says("kept"));
    log.flush(THREAD);
    rmSync(folder, { recursive: true });
    writer.append(says("into a file without a name"));
    writer.close();
    mkdirSync(folder);
    chmodSync(folder, 0o700);
    write(1, ["again"]);
    expect(textsOf(await readEnd(log))).toEqual(["again"]);
  });

  it("are a fault of the storage, with their path, when they cannot be read", async () => {
    symlinkSync(folder, folder);
    const fault = { failure: { code: "STORAGE_FAILED", message: expect.stringContaining(folder) } };
    await expect(open().last(THREAD)).rejects.toMatchObject(fault);
    await expect(readEnd(open())).rejects.toMatchObject(fault);
  });

  it("number on after events that could not be written", async () => {
    mkdirSync(join(folder, ".."), { recursive: true });
    writeFileSync(folder, "a file in the place of the folder");
    const log = open();
    const writer = log.writer({ threadId: THREAD, fence: 1 });
    writer.append(says("lost"));
    log.flush(THREAD);
    rmSync(folder);
    writer.append(says("kept"));
    writer.close();
    expect(await readEnd(log)).toMatchObject([{ type: "gap", from: 1, to: 1 }, { seq: 2 }]);
  });
});
