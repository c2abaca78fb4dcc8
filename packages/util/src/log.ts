import { closeSync, openSync, writeSync } from "node:fs";
import { type Redactor, redactor } from "./redactor.ts";
import { APPEND_NOW } from "./regular-file.ts";

/** Debug log: one JSON object per line, `{ tag, content, timestamp }`, timestamp in Unix ms. */
export type DebugLog = {
  /** `tag` is eight random characters of Crockford base32, fixed for each call site, so that a line leads back to
   *  the code that wrote it. Never throws: a full disk must not stop a thread because of its log. People read these
   *  lines, so secrets are redacted. */
  write(tag: string, content: string): void;
};

/** Appends to `file`, created with mode 0600 on the first line; its folder must exist. */
export function debugLog(file: string, now: () => number): DebugLog {
  let redact: Redactor | null = null;
  return {
    write(tag, content) {
      try {
        redact ??= redactor({ env: process.env });
        const line = JSON.stringify({ tag, content: redact(content), timestamp: now() });
        // One write per line, in append mode: lines of several processes do not mix.
        const fd = openSync(file, APPEND_NOW, 0o600);
        try {
          writeSync(fd, `${line}\n`);
        } finally {
          closeSync(fd);
        }
      } catch {
        // Nothing to do, and nobody to tell.
      }
    },
  };
}
