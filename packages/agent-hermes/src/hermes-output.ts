/** What Hermes prints in its quiet mode: the answer on stdout, its session and errors on stderr. Versions differ in
 *  how well they keep to that. */
import { stripVTControlCharacters } from "node:util";

/** The answer, without what some versions leak into it: boxes (reasoning, the answer repeated in a frame), previews
 *  of tool calls, lines about the session. */
export function hermesAnswer(stdout: string): string {
  const kept: string[] = [];
  let inBox = false;
  for (const line of stripVTControlCharacters(stdout).split("\n")) {
    if (BOX_START.test(line)) inBox = true;
    if (!inBox && !LEAK.test(line)) kept.push(line);
    if (BOX_END.test(line)) inBox = false;
  }
  // A box that is never closed does not count.
  return (inBox ? stripVTControlCharacters(stdout) : kept.join("\n")).trim();
}

/** The session's id: on stderr, in old versions on stdout. Null: it was not printed. */
export function hermesSession(output: { stdout: string; stderr: string }): string | null {
  for (const text of [output.stderr, output.stdout]) {
    const line = stripVTControlCharacters(text)
      .split("\n")
      .findLast((each) => SESSION.test(each));
    const id = SESSION.exec(line ?? "")?.[1];
    if (id !== undefined) return id;
  }
  return null;
}

/** Hermes does not have the session that it was to resume. It may have silently begun a new one. */
export function sessionGone({ stdout, stderr }: { stdout: string; stderr: string }): boolean {
  return [stderr, stdout].some((text) =>
    /^\W*Session (?:not found\b|\S+ found but has no messages)/m.test(text),
  );
}

const BOX_START = /^\s*[┌╭]/;
const BOX_END = /^\s*[└╰]/;
const LEAK = /^\s*(?:session_id:\s|↻ Resumed session|┊)/;
/** An id has a digit; a sentence about sessions does not match. */
const SESSION = /^\s*session_id:\s*([\w.-]*\d[\w.-]*)\s*$/;
