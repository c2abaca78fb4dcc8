/** Follows a thread's live file, as any terminal may, from its beginning to the thread's rest. */
import { open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as sleep } from "node:timers/promises";
import type { LiveEvent } from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import type { Engine } from "./engine.ts";
import { lookAtThread } from "./look-at-thread.ts";

const LOOK_EVERY_MS = 100;
const CHUNK_BYTES = 256 * 1024;

/** Yields events as they come; ends when the thread has ended or nobody runs it and all was read. */
export async function* followThread(
  engine: Pick<Engine, "root" | "store" | "now">,
  threadId: string,
  opts: { signal: AbortSignal },
): AsyncGenerator<LiveEvent> {
  const reader = lineReader(storagePaths(engine.root).liveFile(threadId));
  while (!opts.signal.aborted) {
    // Asked before reading: what was written before the thread came to rest is then read for certain.
    const atRest = await isAtRest(engine, threadId);
    for await (const line of reader.next()) {
      const event = parseEvent(line);
      if (event !== null) yield event;
    }
    if (atRest) return;
    await sleep(LOOK_EVERY_MS, undefined, { signal: opts.signal }).catch(() => undefined);
  }
}

async function isAtRest(engine: Pick<Engine, "store" | "now">, threadId: string): Promise<boolean> {
  const seen = await lookAtThread(engine, threadId);
  return seen?.status !== "running";
}

/** Reads the lines that were added since the last call; starts over when the file was rotated. */
function lineReader(path: string): { next: () => AsyncGenerator<string> } {
  let offset = 0;
  let inode = 0;
  let rest = "";
  let decoder = new StringDecoder("utf8");
  async function* next(): AsyncGenerator<string> {
    const file = await open(path, "r").catch(() => null);
    if (file === null) return;
    try {
      const { ino } = await file.stat();
      if (ino !== inode) {
        [offset, inode, rest, decoder] = [0, ino, "", new StringDecoder("utf8")];
      }
      while (true) {
        const { bytesRead, buffer } = await file.read(
          Buffer.alloc(CHUNK_BYTES),
          0,
          CHUNK_BYTES,
          offset,
        );
        if (bytesRead === 0) return;
        offset += bytesRead;
        const lines = (rest + decoder.write(buffer.subarray(0, bytesRead))).split("\n");
        rest = lines.pop() ?? "";
        yield* lines;
      }
    } finally {
      await file.close();
    }
  }
  return { next };
}

/** Written by our own runner; a torn line is passed over. */
function parseEvent(line: string): LiveEvent | null {
  try {
    const event: LiveEvent = JSON.parse(line);
    return typeof event.type === "string" ? event : null;
  } catch {
    return null;
  }
}
