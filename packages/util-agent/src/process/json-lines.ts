import { type JsonObject, parseJson, toJsonObject } from "@uncaged/workflow-protocol";
import type { OutputLine } from "./line-reader.ts";

export type JsonLines = {
  /** For `onLine`; stderr is ignored. */
  line: (line: OutputLine) => void | Promise<void>;
  /** What was printed among the objects: banners, warnings, objects cut short. */
  noise(): JsonNoise;
};

export type JsonNoise = {
  /** Number of lines that are not a JSON object. Blank ones do not count. */
  count: number;
  /** The latest of them, shortened. */
  latest: readonly string[];
};

const KEPT_LINES = 10;
const KEPT_CHARS = 500;

/** Reads the stdout of a program that prints one JSON object per line. Other lines are counted, and some are kept:
 *  agents print banners into their streams, and a failure may be reported only there. */
export function jsonLines(onObject: (object: JsonObject) => void | Promise<void>): JsonLines {
  const latest: string[] = [];
  let count = 0;
  return {
    line: ({ stream, text, omittedChars }) => {
      if (stream === "stderr") return;
      const object = omittedChars === 0 ? objectOf(text) : null;
      if (object !== null) return onObject(object);
      if (text.trim() === "") return;
      count++;
      latest.push(text.slice(0, KEPT_CHARS).toWellFormed());
      if (latest.length > KEPT_LINES) latest.shift();
    },
    noise: () => ({ count, latest: [...latest] }),
  };
}

function objectOf(text: string): JsonObject | null {
  return text.trimStart().startsWith("{") ? toJsonObject(parseJson(text)) : null;
}
