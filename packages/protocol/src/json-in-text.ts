/** Finds every complete JSON object that an agent may have meant as its result, the likeliest first, that is, from
 *  the last to the first.
 *
 *  1. An object inside another value belongs to that value. Truncated JSON is not a value, and neither is anything
 *     in it.
 *  2. A fenced block in another language is not an answer.
 *  3. The text is untrusted: each character is read at most twice, whatever the text contains. */
import { wholeObjects } from "./whole-objects.ts";

export function* jsonInText(text: string): Generator<object> {
  let left = MOST_OBJECTS;
  for (const part of readableParts(text).reverse()) {
    for (const found of wholeObjects(part, left).reverse()) {
      left -= 1;
      yield found;
    }
    if (left <= 0) return;
  }
}

/** In a text full of objects, only the last ones count. */
const MOST_OBJECTS = 50;

/** The text outside fences, and the content of fences that are marked as JSON or not marked at all. A value never
 *  crosses a fence, because JSON strings contain no line breaks. An unclosed fence is taken as forgotten, not as
 *  open. */
function readableParts(text: string): string[] {
  const parts: string[] = [];
  let lines: string[] = [];
  let open: { mark: string; isReadable: boolean } | null = null;
  const endPart = (isReadable: boolean): void => {
    if (isReadable) parts.push(lines.join("\n"));
    lines = [];
  };
  for (const line of text.split("\n")) {
    const [, mark, language = ""] = FENCE.exec(line) ?? [];
    if (open === null && mark !== undefined) {
      endPart(true);
      open = { mark, isReadable: /^(?:jsonc?)?$/i.test(language) };
    } else if (open !== null && mark?.startsWith(open.mark) && language === "") {
      endPart(open.isReadable);
      open = null;
    } else {
      lines.push(line);
    }
  }
  endPart(true);
  return parts;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*(\S*)/;
