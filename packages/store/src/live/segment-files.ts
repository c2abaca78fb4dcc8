/** The files of a thread's live log: `<fence>-<number>.jsonl` in a folder of its own.
 *
 *  1. A file has one writer: the owner with the fence in its name. An owner's files are ordered by number; the next
 *     owner's files follow all of them.
 *  2. Its first line, the header, has the number of its first event. Numbers within a file have no gaps.
 *  3. A file counts up to the number with which the next one begins, and not at all when that one begins with the same
 *     number: it has then taken over the lines. So nothing counts that a superseded owner still writes.
 *  4. A file without a header is a claim: its owner is active and is determining its first number. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "@uncaged/workflow-protocol";
import { isErrno, storageFailed } from "@uncaged/workflow-util";

export type SegmentName = { file: string; fence: number; number: number };
export type SegmentHeader = {
  /** Number of its first event. */
  first: number;
  /** Boot of the machine that wrote it. */
  boot: string;
};
export type Segment = SegmentName & { header: SegmentHeader };

const FORMAT = 1;
const NAME = /^(\d{1,15})-(\d{1,15})\.jsonl$/;
const HEADER_BYTES = 1024;
/** Anything that is not a regular file, such as a pipe with that name, is skipped and never waited for. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export function segmentFile(fence: number, number: number): string {
  const digits = (value: number): string => String(value).padStart(6, "0");
  return `${digits(fence)}-${digits(number)}.jsonl`;
}

/** In log order; other files are not ours. */
export function inOrder(files: readonly string[]): SegmentName[] {
  return files
    .flatMap((file) => {
      const [, fence, number] = NAME.exec(file) ?? [];
      return fence === undefined ? [] : [{ file, fence: Number(fence), number: Number(number) }];
    })
    .sort((a, b) => a.fence - b.fence || a.number - b.number);
}

/** Empty if there is no such folder. Throws `STORAGE_FAILED`. */
export function listSegments(folder: string): SegmentName[] {
  try {
    return inOrder(readdirSync(folder));
  } catch (cause) {
    if (isErrno(cause, "ENOENT", "ENOTDIR")) return [];
    throw storageFailed(`cannot read the live log ${folder}`, cause);
  }
}

export function isAfter(a: SegmentName, b: SegmentName): boolean {
  return a.fence > b.fence || (a.fence === b.fence && a.number > b.number);
}

/** The files that count (3), given all files in order. */
export function counting(segments: readonly Segment[]): Segment[] {
  const kept: Segment[] = [];
  for (const segment of segments.toReversed()) {
    const next = kept[0];
    if (next === undefined || segment.header.first < next.header.first) kept.unshift(segment);
  }
  return kept;
}

export function headerLine({ first, boot }: SegmentHeader): string {
  return `${JSON.stringify({ live: FORMAT, first, boot })}\n`;
}

/** null when it has none, or is already gone. Throws `STORAGE_FAILED`. */
export function readHeader(folder: string, name: SegmentName): SegmentHeader | null {
  return withFile(folder, name, (fd) => parseHeader(bytesAt(fd, 0, HEADER_BYTES)));
}

export type SegmentEnd = {
  header: SegmentHeader;
  sizeBytes: number;
  /** Number of its last event; one less than its first when it has none. */
  last: number;
  /** Its owner wrote everything it meant to. */
  closed: boolean;
};

/** Read from the last whole lines; a line that a killed writer left incomplete does not count. Throws `STORAGE_FAILED`.
 */
export function readEnd(folder: string, name: SegmentName, tailBytes: number): SegmentEnd | null {
  return withFile(folder, name, (fd) => {
    const header = parseHeader(bytesAt(fd, 0, HEADER_BYTES));
    if (header === null) return null;
    const sizeBytes = fstatSync(fd).size;
    const from = Math.max(0, sizeBytes - tailBytes);
    const tail = bytesAt(fd, from, sizeBytes - from).toString("utf8");
    // The last few lines, not only the last: another writer may have appended to the file.
    const lines = tail.split("\n").slice(0, -1).slice(-LAST_LINES).map(parseJson);
    // No event is that short, so no event of the file has a higher number.
    const highest = header.first + sizeBytes / 16;
    const last = Math.max(header.first - 1, ...lines.map(seqOf).filter((seq) => seq <= highest));
    return { header, sizeBytes, last, closed: isClosed(lines.at(-1)) };
  });
}

const LAST_LINES = 16;

export const CLOSED_LINE = '{"closed":true}\n';

function withFile<T>(folder: string, { file }: SegmentName, use: (fd: number) => T): T | null {
  const path = join(folder, file);
  let fd: number | null = null;
  try {
    fd = openSync(path, READ);
    return fstatSync(fd).isFile() ? use(fd) : null;
  } catch (cause) {
    if (fd === null && !isErrno(cause, "EMFILE", "ENFILE", "EIO")) return null;
    throw storageFailed(`cannot read the live log ${path}`, cause);
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

function bytesAt(fd: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  return buffer.subarray(0, readSync(fd, buffer, 0, length, position));
}

function parseHeader(head: Buffer): SegmentHeader | null {
  const end = head.indexOf(10);
  const header = asRecord(end < 0 ? null : parseJson(head.toString("utf8", 0, end)));
  const { live, first, boot } = header;
  const sound = live === FORMAT && Number.isSafeInteger(first) && Number(first) >= 1;
  return sound && typeof boot === "string" ? { first: Number(first), boot } : null;
}

function isClosed(line: unknown): boolean {
  return asRecord(line).closed === true;
}

function seqOf(line: unknown): number {
  const { seq } = asRecord(line);
  return typeof seq === "number" && Number.isSafeInteger(seq) ? seq : 0;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
