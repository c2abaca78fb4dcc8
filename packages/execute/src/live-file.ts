/** Live output of a thread, for whoever watches: `logs/<threadId>.live.jsonl`.
 *
 *  1. For eyes only: nothing is decided from it, losing it loses nothing, it is not flushed.
 *  2. Bounded: past `MAX_BYTES` the file moves to `.live.1.jsonl` and starts again. */
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { LiveEvent } from "@uncaged/workflow-protocol";

const MAX_BYTES = 8 * 1024 * 1024;
/** A line longer than this is cut: a watcher wants the gist, the CAS has the whole. */
const MAX_TEXT = 16 * 1024;
/** Waiting events are written together, so that a flood of output is a few large writes. */
const FLUSH_EVERY_MS = 40;

export type LiveFile = { emit: (event: LiveEvent) => void; close: () => void };

export function openLiveFile(path: string, earlierPath: string): LiveFile {
  let waiting: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let size = sizeOf(path);
  const flush = (): void => {
    timer = undefined;
    const text = waiting.join("");
    waiting = [];
    if (text === "") return;
    try {
      if (size > MAX_BYTES) size = rotate(path, earlierPath);
      appendFileSync(path, text);
      size += text.length;
    } catch {
      // A full disk must not end a run for want of its display (1).
    }
  };
  mkdirSync(dirname(path), { recursive: true });
  return {
    emit: (event) => {
      waiting.push(`${lineOf(event)}\n`);
      timer ??= setTimeout(flush, FLUSH_EVERY_MS);
    },
    close: () => {
      clearTimeout(timer);
      flush();
    },
  };
}

/** A line that is short as a whole has no text to cut; looking at each takes longer than writing them. */
function lineOf(event: LiveEvent): string {
  const line = JSON.stringify(event);
  return line.length > MAX_TEXT ? JSON.stringify(event, cutText) : line;
}

function cutText(_key: string, value: unknown): unknown {
  return typeof value === "string" && value.length > MAX_TEXT
    ? `${value.slice(0, MAX_TEXT)}…`
    : value;
}

function rotate(path: string, earlierPath: string): number {
  renameSync(path, earlierPath);
  return 0;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
