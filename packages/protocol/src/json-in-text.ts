/** Every whole JSON object that a text of an agent may mean as its result, the likeliest first: that is from the
 *  last to the first, wherever they stand.
 *
 *  1. What is inside another value is a part of it, and what was cut off is no value, nor is anything inside it.
 *  2. A fenced block in another language is no answer.
 *  3. The text is data: each character is looked at once or twice, whatever it says. */
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

/** Of a text that is full of objects the last ones count. */
const MOST_OBJECTS = 50;

/** What stands between fences and in fences that are JSON or say nothing of their language. A value never reaches
 *  across a fence: its texts have no line breaks. A fence that is never closed was forgotten. */
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
