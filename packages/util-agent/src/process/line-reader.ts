import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";

export type OutputLine = {
  stream: "stdout" | "stderr";
  /** Without its line break and without terminal escape codes. */
  text: string;
  /** Number of characters dropped because the line was too long. */
  omittedChars: number;
};

export type LineReader = {
  /** The lines completed by this chunk. */
  push(chunk: Buffer): OutputLine[];
  /** The last line, if it had no line break. */
  end(): OutputLine[];
};

/** Splits a stream of bytes into lines. A character may be split between chunks, invalid bytes become U+FFFD, NUL is
 *  kept, and a line that never ends takes no more memory than `maxChars`. */
export function lineReader(stream: OutputLine["stream"], maxChars: number): LineReader {
  const decoder = new StringDecoder("utf8");
  let pending = "";
  let omittedChars = 0;
  const add = (text: string): void => {
    const room = maxChars - pending.length;
    pending += text.length <= room ? text : withoutHalfPair(text.slice(0, Math.max(0, room)));
    omittedChars += Math.max(0, text.length - room);
  };
  const take = (): OutputLine => {
    const line = { stream, text: readable(pending), omittedChars };
    pending = "";
    omittedChars = 0;
    return line;
  };
  const feed = (text: string): OutputLine[] => {
    const parts = text.split("\n");
    return parts.flatMap((part, at) => {
      add(part);
      return at < parts.length - 1 ? [take()] : [];
    });
  };
  return {
    push: (chunk) => feed(decoder.write(chunk)),
    end: () => {
      const lines = feed(decoder.end());
      return pending === "" && omittedChars === 0 ? lines : [...lines, take()];
    },
  };
}

function readable(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return ESCAPES.some((code) => text.includes(code)) ? stripVTControlCharacters(text) : text;
}

/** Most lines have none, and searching is cheaper than matching. */
const ESCAPES = ["\u001b", "\u009b"];

function withoutHalfPair(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
