/** Output that waits for a client to read it, bounded.
 *
 *  1. While the client is behind, no further requests are read.
 *  2. Answers to earlier requests may exceed that. A client that leaves too much of it unread is not reading at all. */
import { once } from "node:events";
import { Writable } from "node:stream";
import type { Input, Sink } from "../command/io.ts";

const BEHIND_CHARS = 1024 * 1024;
const MOST_WAITING_CHARS = 64 * 1024 * 1024;

export type BoundedOutput = {
  stream: Writable;
  /** The client's requests, piece by piece, as long as it reads the answers. */
  whileRead(input: ReturnType<Input["chunks"]>): AsyncGenerator<Uint8Array>;
  /** To be called before each answer, which may itself have any length. */
  beforeAnswer(): void;
  /** Resolves when too much is waiting. */
  overflown: Promise<"overflown">;
};

export function boundedOutput(sink: Sink): BoundedOutput {
  const { promise: overflown, resolve: overflow } = Promise.withResolvers<"overflown">();
  const stream = new Writable({
    decodeStrings: false,
    highWaterMark: BEHIND_CHARS,
    write: (chunk, _encoding, done) => void sink.write(String(chunk)).then(() => done(), done),
  });
  // Each waiting answer adds a listener.
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
