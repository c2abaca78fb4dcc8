/** Things that people type or paste which YAML accepts, but with another meaning than intended. */
import { type Document, isScalar, Scalar, visit } from "yaml";
import type { Faults, Span } from "./faults.ts";

/** Returns whether there were any. */
export function faultHabits(
  document: Document,
  { text, faults }: { text: string; faults: Faults },
): boolean {
  let found = false;
  const add = (span: Span, message: string): void => {
    found = true;
    faults.add(span, message);
  };
  visit(document, {
    Pair(_, { key, value }) {
      // `goal: #1 in sales`
      if (!isScalar(key) || !key.range || !isScalar(value) || value.value !== null) return;
      const end = text.indexOf("\n", key.range[0]);
      const line = text.slice(key.range[0], end < 0 ? text.length : end).slice(0, 200);
      if (/^[^#]*:\s+#/.test(line)) add([key.range[0], key.range[1]], COMMENT);
    },
    Scalar(_, node) {
      if (!isScalar(node) || node.type !== Scalar.PLAIN || !node.range) return;
      const [start, end] = node.range;
      const span: Span = [start, end];
      const written = text.slice(start, Math.min(end, start + 200));
      const [, word] = /^[“”„‟«‘‚]([^\s“”‘’«»]+)[“”‟»‘’]$/.exec(written) ?? [];
      if (word !== undefined)
        add(span, `typographic quotes are part of the word; leave them out: ${word}`);
      else if (/^\S*[\u200b-\u200d\u2060\ufeff\u00ad]\S*$/.test(written))
        add(span, "the word contains an invisible character; type it again");
      else if (isListOfDashes(text, span)) add(span, DASHES);
    },
  });
  return found;
}

const COMMENT =
  "everything after a # is a comment, so there is no value; put the value into quotes";

const DASHES = "an entry of a list begins with a hyphen and a space: - like this";

/** A multi-line text of which each line begins like a list entry. */
function isListOfDashes(text: string, [start, end]: Span): boolean {
  if (!/^[–—−•·-]/.test(text.slice(start, start + 1))) return false;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  if (text.slice(lineStart, start).trim() !== "") return false;
  const lines = text.slice(start, end).split("\n");
  return lines.every((line) => /^\s*(?:[–—−•·]\s*\S|-[^\s-])/.test(line));
}
