import {
  closeSync,
  lstatSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ok, type PlannedStart, type Trigger, type Triggers } from "@uncaged/workflow-protocol";
import { memoryTriggers } from "@uncaged/workflow-store";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { watchingFolders } from "./watch-folders.ts";

let folder: string;
let triggers: Triggers;
let trigger: Trigger;
let nowMs: number;
let said: string[];
/** The started threads by start key. */
let started: Map<string, PlannedStart>;
let look: () => Promise<void>;
/** Where the host is killed: it throws there once. */
let dies: "never" | "before start" | "after start" | "after take";

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "watched-"));
  triggers = memoryTriggers();
  const start = {
    workflow: "demo",
    cwd: "/",
    limits: null,
    title: null,
    priority: 0,
    labels: { a: "b" },
  };
  trigger = {
    ...{ name: "inbox", createdAt: 1, pausedAt: null },
    plan: { source: { kind: "watch", folder }, start: { ...start, prompt: "Read {{ path }}" } },
  };
  await triggers.add(trigger, []);
  [nowMs, said, started, dies] = [0, [], new Map(), "never"];
  look = host();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A new host, which knows only what is stored. */
function host(): () => Promise<void> {
  const at = (place: typeof dies): void => {
    if (dies !== place) return;
    dies = "never";
    throw new Error("killed");
  };
  return watchingFolders({
    triggers: {
      ...triggers,
      take: async (...taken) => {
        const took = await triggers.take(...taken);
        at("after take");
        return took;
      },
    },
    starter: {
      start: async (planned, key) => {
        at("before start");
        started.set(key, planned);
        at("after start");
        return ok(`thread-${[...started.keys()].indexOf(key)}`);
      },
    },
    say: (line) => said.push(line),
    signal: new AbortController().signal,
    monotonicMs: () => nowMs,
  }).look;
}

const at = (name: string): string => join(folder, name);
const prompts = (): string[] => [...started.values()].map(({ prompt }) => prompt);

/** Three looks, some time apart. */
async function pass(): Promise<void> {
  for (let n = 0; n < 3; n += 1) {
    nowMs += 2_000;
    await look();
  }
}

describe("a new file", () => {
  it("starts one thread with its path, once it has been quiet", async () => {
    writeFileSync(at("letter.pdf"), "Dear");
    await look();
    expect(started.size).toBe(0);
    await pass();
    await pass();
    expect(prompts()).toEqual([`Read ${at("letter.pdf")}`]);
    const [planned] = started.values();
    expect(planned?.labels).toEqual({ a: "b", trigger: "inbox" });
    expect(await triggers.files("inbox")).toMatchObject([
      { file: "letter.pdf", state: "started", threadId: "thread-0" },
    ]);
  });

  it("is not taken while it grows, nor while it is open for writing", async () => {
    const fd = openSync(at("slow.csv"), "w");
    writeSync(fd, "a");
    await look();
    for (let n = 0; n < 5; n += 1) {
      nowMs += 1_999;
      writeSync(fd, "b");
      await look();
    }
    expect(started.size).toBe(0);
    if (process.platform === "linux") {
      await pass();
      expect(started.size).toBe(0);
    }
    closeSync(fd);
    await pass();
    expect(started.size).toBe(1);
  });

  it("that was renamed into place is taken, and its unfinished name is not", async () => {
    for (const name of [".upload", "scan.part", "scan.pdf.crdownload", "notes~", "x.TMP"])
      writeFileSync(at(name), "half");
    await pass();
    expect(started.size).toBe(0);
    renameSync(at(".upload"), at("whole"));
    await pass();
    expect(prompts()).toEqual([`Read ${at("whole")}`]);
  });

  it("is neither a folder nor a link", async () => {
    symlinkSync("/etc/hostname", at("link"));
    mkdtempSync(at("folder"));
    await pass();
    expect(started.size).toBe(0);
  });

  it("is taken long after the last one, too", async () => {
    writeFileSync(at("first"), "1");
    await pass();
    nowMs += 3_600_000;
    await pass();
    writeFileSync(at("second"), "2");
    await pass();
    expect(started.size).toBe(2);
  });
});

describe("a file that was taken", () => {
  beforeEach(async () => {
    writeFileSync(at("a"), "one");
    await pass();
  });

  it("is not taken again by the next host, or when it is changed in place", async () => {
    look = host();
    await pass();
    writeFileSync(at("a"), "changed");
    utimesSync(at("a"), 5, 5);
    await pass();
    look = host();
    await pass();
    expect(started.size).toBe(1);
  });

  it("is forgotten when another file is put in its place", async () => {
    // Files created within one tick of the file system's clock have the same birth time.
    const born = lstatSync(at("a")).birthtimeMs;
    do {
      rmSync(at(".next"), { force: true });
      writeFileSync(at(".next"), "another");
    } while (born > 0 && lstatSync(at(".next")).birthtimeMs === born);
    renameSync(at(".next"), at("a"));
    await pass();
    await pass();
    expect(started.size).toBe(2);
  });

  it("and comes back as it was is the same file", async () => {
    const [known] = await triggers.files("inbox");
    rmSync(at("a"));
    await pass();
    writeFileSync(at("a"), "one");
    const modified = (known?.mark.modifiedAt ?? 0) / 1_000;
    utimesSync(at("a"), modified, modified);
    await pass();
    expect(started.size).toBe(1);
  });
});

it.each(["after take", "before start", "after start"] as const)(
  "a host that is killed %s is followed by one that starts it once",
  async (place) => {
    writeFileSync(at("a"), "one");
    dies = place;
    await pass();
    expect(dies).toBe("never");
    expect(said).toEqual(["trigger inbox: killed"]);
    look = host();
    await pass();
    expect(started.size).toBe(1);
    expect(await triggers.files("inbox")).toMatchObject([{ state: "started" }]);
  },
);

it("files that arrive while a trigger is paused are taken when it is resumed", async () => {
  await triggers.pause({ name: "inbox", nowMs: 5 });
  writeFileSync(at("a"), "one");
  await pass();
  expect(started.size).toBe(0);
  await triggers.resume("inbox");
  await pass();
  expect(started.size).toBe(1);
});

it("a folder that cannot be read is said once, and read when it is there", async () => {
  rmSync(folder, { recursive: true });
  await pass();
  expect(said).toHaveLength(1);
  expect(said[0]).toContain("inbox");
});

it("what cannot be filled in is noted, and the other files go on", async () => {
  const source = { kind: "watch", folder } as const;
  const start = { ...trigger.plan.start, prompt: "{{ $number(name) }}" };
  await triggers.add({ ...trigger, name: "numbers", plan: { source, start } }, []);
  await triggers.remove("inbox");
  writeFileSync(at("12"), "");
  writeFileSync(at("no"), "");
  await pass();
  expect(prompts()).toEqual(["12"]);
  expect(await triggers.files("numbers")).toMatchObject([
    { file: "12", state: "started" },
    { file: "no", state: "failed", reason: expect.stringContaining("$number(name)") },
  ]);
});
