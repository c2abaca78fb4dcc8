import { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

export type BoundedText = {
  /** What has come so far. */
  text: () => string;
};

export type Bounds = {
  maxBytes: number;
  /** Called once, when the limit is exceeded; nothing more is kept or read after that. */
  onFlood: () => void;
  /** Called with each complete line. */
  onLine?: (line: string) => void;
};

/** Collects the output of a child's stream, up to a limit. Each chunk is looked at once, however long its line has
 *  become: while we are slow, the child waits, and its time runs. */
export function boundedText(stream: unknown, bounds: Bounds): BoundedText {
  if (!(stream instanceof Readable)) throw new TypeError("the child has no such stream");
  const decoder = new StringDecoder("utf8");
  let received = 0;
  let text = "";
  let line = "";
  const onData = (chunk: Buffer): void => {
    received += chunk.length;
    if (received > bounds.maxBytes) {
      stream.off("data", onData);
      stream.pause();
      bounds.onFlood();
      return;
    }
    const more = decoder.write(chunk);
    text += more;
    const [first = "", ...others] = more.split("\n");
    line += first;
    for (const next of others) {
      bounds.onLine?.(line);
      line = next;
    }
  };
  stream.on("data", onData);
  // Killing the child may reset the pipe; how it ended is reported elsewhere.
  stream.on("error", () => {});
  return { text: () => text };
}
