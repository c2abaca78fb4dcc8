/** Starts a thread for each new file in a watched folder.
 *
 *  1. A file is recorded as `starting` before its thread is started, and as `started` after. A file that a
 *     crash left `starting` is started again with the same key.
 *  2. A file is taken when it has not changed for a while, and nobody has it open for writing.
 *  3. A name is taken again only when it holds another file: one with a different birth, and a different size or time of
 *     last change. A file that is changed in place is the same file; so is one whose file system was remounted or
 *     restored from a backup. */
import type { Dirent } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fillFromEvent } from "@uncaged/workflow-moderator";
import {
  type FileMark,
  failureFrom,
  type Trigger,
  type Triggers,
  type WatchedFile,
} from "@uncaged/workflow-protocol";
import { isErrno } from "@uncaged/workflow-util";
import type { ThreadStarter } from "../schedule/fire-schedules.ts";
import { openForWriting } from "./open-for-writing.ts";

/** How long a file must have been unchanged. */
const QUIET_MS = 2_000;
/** File systems store times in coarse steps: of two changes of a folder within one step, only one shows. */
const LIST_AGAIN_FOR_MS = 10_000;

export type WatchOptions = {
  triggers: Pick<Triggers, "list" | "files" | "take" | "note">;
  starter: Pick<ThreadStarter, "start">;
  /** Prints a line for people who watch the host. */
  say: (line: string) => void;
  /** Once it aborts, nothing more is started. */
  signal: AbortSignal;
  monotonicMs?: () => number;
};

/** What is remembered about a folder between two looks. */
type Memory = {
  known: Map<string, WatchedFile>;
  /** Files that may still be being written, and since when each has been unchanged. */
  growing: Map<string, { mark: FileMark; since: number }>;
  /** When its folder was last seen to change, and what it looked like then. */
  changed: { at: number; modifiedAt: number } | null;
  /** Why it could not be read; reported once. */
  fault: string | null;
};

export function watchingFolders(opts: WatchOptions): { look: () => Promise<void> } {
  const memories = new Map<string, Memory>();
  const busy = new Set<string>();
  const serve = async (trigger: Trigger): Promise<void> => {
    const { name, createdAt, pausedAt } = trigger;
    const key = `${name} ${createdAt}`;
    if (pausedAt !== null || busy.has(key)) return;
    busy.add(key);
    try {
      const memory = memories.get(key) ?? (await remembered(opts, trigger));
      memories.set(key, memory);
      await serveFolder(opts, trigger, memory);
    } catch (thrown) {
      opts.say(`trigger ${name}: ${failureFrom(thrown, "STORAGE_FAILED").message}`);
    } finally {
      busy.delete(key);
    }
  };
  return {
    look: async () => {
      const triggers = await opts.triggers.list();
      const known = new Set(triggers.map(({ name, createdAt }) => `${name} ${createdAt}`));
      for (const key of memories.keys()) if (!known.has(key)) memories.delete(key);
      await Promise.all(triggers.map(serve));
    },
  };
}

async function remembered({ triggers }: WatchOptions, { name }: Trigger): Promise<Memory> {
  const files = await triggers.files(name);
  const known = new Map(files.map((each) => [each.file, each]));
  return { known, growing: new Map(), changed: null, fault: null };
}

async function serveFolder(opts: WatchOptions, trigger: Trigger, memory: Memory): Promise<void> {
  const { source } = trigger.plan;
  if (source.kind !== "watch") return;
  const { folder } = source;
  for (const left of memory.known.values())
    if (left.state === "starting") await startFile(opts, trigger, { memory, file: left, folder });
  const { monotonicMs = () => performance.now() } = opts;
  let found: Map<string, FileMark> | null;
  try {
    found = await changedFiles(folder, memory, monotonicMs());
    memory.fault = null;
  } catch (thrown) {
    const { message } = failureFrom(thrown, "STORAGE_FAILED");
    if (message !== memory.fault) opts.say(`trigger ${trigger.name}: ${message}`);
    memory.fault = message;
    return;
  }
  if (found === null) return;
  const quiet = quietFiles(found, memory, monotonicMs());
  const paths = new Map(quiet.map(({ file }) => [file, join(folder, file)]));
  const written = openForWriting([...paths.values()]);
  for (const taken of quiet) {
    if (opts.signal.aborted) return;
    if (written.has(paths.get(taken.file) ?? "")) continue;
    // false: the trigger was paused or removed meanwhile. The file is looked at again if it is resumed.
    if (!(await opts.triggers.take(trigger, taken))) continue;
    memory.growing.delete(taken.file);
    const file: WatchedFile = { ...taken, state: "starting" };
    memory.known.set(taken.file, file);
    await startFile(opts, trigger, { memory, file, folder });
  }
}

/** All files of the folder that have not been taken; null: it has not changed, and nothing is growing. */
async function changedFiles(
  folder: string,
  memory: Memory,
  now: number,
): Promise<Map<string, FileMark> | null> {
  const { mtimeMs: modifiedAt } = await stat(folder);
  if (memory.changed?.modifiedAt !== modifiedAt) memory.changed = { at: now, modifiedAt };
  const isOld = now - memory.changed.at > LIST_AGAIN_FOR_MS;
  if (isOld && memory.growing.size === 0) return null;
  const files = new Map<string, FileMark>();
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const mark = await markOf(folder, entry);
    if (mark === null) continue;
    const known = memory.known.get(entry.name);
    if (known === undefined || isOther(known.mark, mark)) files.set(entry.name, mark);
  }
  return files;
}

/** Temporary names of files that programs rename when complete. */
const UNFINISHED = /^\.|~$|\.(?:part|partial|crdownload|download|tmp)$/i;

/** Some inode numbers have more bits than a number can hold. */
const MOST_NUMBERS = 2 ** 48;

/** null: it is not a regular file, or has the name of an unfinished one. */
export async function markOf(folder: string, entry: Dirent): Promise<FileMark | null> {
  if (!entry.isFile() || UNFINISHED.test(entry.name)) return null;
  try {
    const { size, mtimeMs, birthtimeMs, ino } = await lstat(join(folder, entry.name));
    const origin = birthtimeMs > 0 ? Math.round(birthtimeMs) : ino % MOST_NUMBERS;
    return { size, modifiedAt: Math.round(mtimeMs), origin };
  } catch (thrown) {
    // It is already gone, or its name is not valid text.
    if (isErrno(thrown, "ENOENT")) return null;
    throw thrown;
  }
}

function isOther(known: FileMark, found: FileMark): boolean {
  return known.origin !== found.origin && !isSame(known, found);
}

function isSame(a: FileMark, b: FileMark): boolean {
  return a.size === b.size && a.modifiedAt === b.modifiedAt;
}

function quietFiles(
  found: ReadonlyMap<string, FileMark>,
  memory: Memory,
  now: number,
): Pick<WatchedFile, "file" | "mark">[] {
  const before = memory.growing;
  memory.growing = new Map();
  for (const [file, mark] of found) {
    const seen = before.get(file);
    const isAsItWas = seen !== undefined && isSame(seen.mark, mark);
    memory.growing.set(file, { mark, since: isAsItWas ? seen.since : now });
  }
  return [...memory.growing].flatMap(([file, { mark, since }]) =>
    now - since >= QUIET_MS ? [{ file, mark }] : [],
  );
}

async function startFile(
  { triggers, starter, say }: WatchOptions,
  trigger: Trigger,
  { memory, file: watched, folder }: { memory: Memory; file: WatchedFile; folder: string },
): Promise<void> {
  const { file, mark } = watched;
  const started = await startForFile(starter, trigger, {
    path: join(folder, file),
    name: file,
    key: `trigger ${trigger.name} ${trigger.createdAt} ${mark.origin} ${mark.modifiedAt} ${file}`,
  });
  const to = started.ok
    ? ({ state: "started", threadId: started.value } as const)
    : ({ state: "failed", reason: started.error.message } as const);
  if (!started.ok) say(`trigger ${trigger.name}: ${started.error.message}`);
  await triggers.note(trigger.name, file, to);
  memory.known.set(file, { file, mark, ...to });
}

/** Starts the thread of a file, under this key. Returns its id. */
export async function startForFile(
  starter: Pick<ThreadStarter, "start">,
  { name: trigger, plan: { start } }: Trigger,
  { path, name, key }: { path: string; name: string; key: string },
): ReturnType<ThreadStarter["start"]> {
  const prompt = await fillFromEvent(start.prompt, { path, name });
  if (!prompt.ok) return prompt;
  const labels = { ...start.labels, trigger };
  return starter.start({ ...start, prompt: prompt.value, labels }, key);
}
