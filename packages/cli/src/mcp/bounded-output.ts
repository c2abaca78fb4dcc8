/** What was said to a client and waits to be read, bounded.
 *
 *  1. While the client is behind, nothing more is read of what it asks.
 *  2. What it asked before may be answered with more than that. A client that lets too much of it lie does not read. */
import { once } from "node:events";
import { Writable } from "node:stream";
import type { Input, Sink } from "../io.ts";

const BEHIND_CHARS = 1024 * 1024;
const MOST_WAITING_CHARS = 64 * 1024 * 1024;

export type BoundedOutput = {
  stream: Writable;
  /** What the client asks, piece by piece, as long as it reads. */
  whileRead(input: ReturnType<Input["chunks"]>): AsyncGenerator<Uint8Array>;
  /** To be called before each answer: it may itself be of any length. */
  beforeAnswer(): void;
  /** Resolves when too much waits. */
  overflown: Promise<"overflown">;
};

export function boundedOutput(sink: Sink): BoundedOutput {
  const { promise: overflown, resolve: overflow } = Promise.withResolvers<"overflown">();
  const stream = new Writable({
    decodeStrings: false,
    highWaterMark: BEHIND_CHARS,
    write: (chunk, _encoding, done) => void sink.write(String(chunk)).then(() => done(), done),
  });
  // Each answer that waits listens to it.
  stream.setMaxListeners(0);
  return {
    stream,
    overflown,
    beforeAnswer: () => {
      if (stream.writableLength > MOST_WAITING_CHARS) overflow("overflown");
    },
    async *whileRead(input) {
      for await (const chunk of input) {
        if (stream.writableNeedDrain) await once(stream, "drain");
        yield chunk;
      }
    },
  };
}
