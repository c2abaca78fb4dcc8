/** The writing side of one owner of a thread's live log. The rules of the files are in `segment-files.ts`.
 *
 *  1. Nothing here throws and nothing is flushed to the disk: a full disk costs the display, never the run. Events that
 *     could not be written keep their numbers, so readers see that they are missing.
 *  2. Claim first, then look where the log ends: what an older owner writes from then on does not count, and readers
 *     know that from the claim.
 *  3. A short file of the previous owner is copied into this owner's first file, so that many short leases, such as
 *     single steps from cron, do not produce many files. */
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { LeaseRef, LiveWriter } from "@uncaged/workflow-protocol";
import type { LiveBounds } from "./bounds.ts";
import { liveLine, MAX_LINE_BYTES } from "./live-line.ts";
import {
  CLOSED_LINE,
  headerLine,
  inOrder,
  isAfter,
  listSegments,
  readEnd,
  type SegmentEnd,
  type SegmentName,
  segmentFile,
} from "./segment-files.ts";

/** Queued events are written together, so that a flood of output becomes a few large writes. */
const FLUSH_EVERY_MS = 40;
const FLUSH_AT_CHARS = 256 * 1024;
const SEGMENTS = 16;
/** After a power cut, for example, readers may have seen more events than are left, but at most this many. */
const UNSURE = 1_000_000;
const TEMPORARY = ".tmp";
const NEW = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL;

export type SegmentWriter = LiveWriter & { flush(): void };

export function segmentWriter(
  folder: string,
  { fence }: Pick<LeaseRef, "fence">,
  opts: { bounds: LiveBounds; boot: () => string; onClose: () => void },
): SegmentWriter {
  const segmentBytes = opts.bounds.totalBytes / SEGMENTS;
  let waiting: string[] = [];
  let waitingChars = 0;
  let timer: NodeJS.Timeout | undefined;
  let state: "open" | "superseded" | "closed" = "open";
  let segment: { fd: number; number: number; sizeBytes: number } | null = null;
  /** Number of the next event; null until the end of the log is known. */
  let next: number | null = null;
  /** Events that were dropped before that. */
  let dropped = 0;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    const chars = waitingChars;
    waiting = [];
    waitingChars = 0;
    if (batch.length === 0 || state !== "open") return;
    let first = next;
    try {
      if (segment !== null && segment.sizeBytes + chars > segmentBytes) leave();
      segment ??= begin();
      if (segment === null) return;
      first = next ?? 1;
      writeAll(batch.map((line, at) => `{"seq":${Number(first) + at},${line.slice(1)}\n`).join(""));
    } catch {
      // The written part of the batch may end in the middle of a line: the rest goes to another file.
      leave();
    }
    // Written or not, the numbers are used up (1).
    if (first === null) dropped += batch.length;
    else next = first + batch.length;
  };

  const writeAll = (text: string): void => {
    if (segment === null) return;
    segment.sizeBytes += writeWhole(segment.fd, Buffer.from(text));
  };

  const leave = (): void => {
    if (segment !== null) closeSync(segment.fd);
    segment = null;
  };

  /** null when another owner has taken over. */
  const begin = (): typeof segment => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const names = listSegments(folder);
    if (names.some((name) => name.fence > fence)) {
      state = "superseded";
      return null;
    }
    const own = names.filter((name) => name.fence === fence);
    const number = Math.max(0, ...own.map((name) => name.number)) + 1;
    const file = segmentFile(fence, number);
    const claim = { file, fence, number };
    const path = join(folder, file);
    closeSync(openSync(path, NEW, 0o600)); // (2)
    try {
      const before = names.filter((name) => isAfter(claim, name));
      const { first, taken } = next === null ? startAfter(before) : { first: next, taken: null };
      const lines = taken === null ? Buffer.alloc(0) : linesOf(join(folder, taken.name.file));
      const header = headerLine({ first: taken?.end.header.first ?? first, boot: opts.boot() });
      const made = { number, ...replaceFile(path, Buffer.concat([Buffer.from(header), lines])) };
      next ??= first;
      tidy(before, taken?.name ?? null);
      return made;
    } catch (cause) {
      rmSync(path, { force: true });
      throw cause;
    }
  };

  const startAfter = (
    before: readonly SegmentName[],
  ): { first: number; taken: { name: SegmentName; end: SegmentEnd } | null } => {
    for (const name of before.toReversed()) {
      const end = readEnd(folder, name, MAX_LINE_BYTES);
      if (end === null) continue;
      const skipped = dropped + (isSure(name, end) ? 0 : UNSURE);
      const first = end.last + 1 + skipped;
      const short = end.sizeBytes < segmentBytes / 2;
      return { first, taken: short && skipped === 0 ? { name, end } : null };
    }
    return { first: 1 + dropped, taken: null };
  };

  /** Whether nobody can have seen an event after the last one: what one process wrote the next one can read, even if
   *  the writer was killed, but after a power cut the newest events are missing. If a file is longer than ours get, its
   *  end is not ours. */
  const isSure = (name: SegmentName, { header, closed, sizeBytes }: SegmentEnd): boolean =>
    sizeBytes < segmentBytes + 4 * MAX_LINE_BYTES &&
    (header.boot === opts.boot() || (closed && name.fence >= fence - 1));

  /** Deletes what exceeds the limit, oldest first, and what killed owners left in this folder. */
  const tidy = (before: readonly SegmentName[], taken: SegmentName | null): void => {
    const old = before.slice(0, Math.max(0, before.length + 1 - SEGMENTS));
    for (const { file } of taken === null ? old : [...old, taken]) {
      rmSync(join(folder, file), { force: true });
    }
    const temporaries = readdirSync(folder).filter((file) => file.endsWith(TEMPORARY));
    const left = inOrder(temporaries.map((file) => file.slice(0, -TEMPORARY.length)));
    for (const each of left.filter((name) => name.fence <= fence)) {
      rmSync(join(folder, `${each.file}${TEMPORARY}`), { force: true });
    }
  };

  return {
    append: (event) => {
      if (state !== "open") return;
      const line = liveLine(event);
      if (line === null) return;
      waiting.push(line);
      waitingChars += line.length;
      if (waitingChars >= FLUSH_AT_CHARS) flush();
      else timer ??= setTimeout(flush, FLUSH_EVERY_MS);
    },
    flush,
    close: () => {
      flush();
      try {
        if (state === "open") writeAll(CLOSED_LINE);
      } catch {
        // Without that line the next owner is less sure, and should be (1).
      }
      leave();
      state = "closed";
      opts.onClose();
    },
  };
}

/** Readers see either the old file or all of the new one. */
function replaceFile(path: string, bytes: Buffer): { fd: number; sizeBytes: number } {
  const temporary = `${path}${TEMPORARY}`;
  const fd = openSync(temporary, NEW, 0o600);
  try {
    const sizeBytes = writeWhole(fd, bytes);
    renameSync(temporary, path);
    return { fd, sizeBytes };
  } catch (cause) {
    closeSync(fd);
    rmSync(temporary, { force: true });
    throw cause;
  }
}

/** Writes everything or throws. */
function writeWhole(fd: number, bytes: Buffer): number {
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written);
  return written;
}

/** The whole lines after the header, without the closing note. */
function linesOf(path: string): Buffer {
  const bytes = readFileSync(path);
  const whole = bytes.subarray(bytes.indexOf(10) + 1, bytes.lastIndexOf(10) + 1);
  const closed = whole.subarray(-CLOSED_LINE.length).toString("utf8") === CLOSED_LINE;
  return closed ? whole.subarray(0, -CLOSED_LINE.length) : whole;
}
