/** Every JSON object that a text of an agent may mean as its result, the likeliest first: the text as a whole,
 *  fenced blocks from the last to the first, the object that ends the text. The text is data: it is read line by
 *  line, since one expression over a hostile text may take for ever. */
export function* jsonInText(text: string): Generator<object> {
  yield* objectIn(text);
  for (const block of fencedBlocks(text).reverse()) yield* objectIn(block);
  yield* lastObject(text);
}

/** Bodies of the fenced blocks that are JSON or say nothing of their language. One never closed is none. */
function fencedBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: { fence: string; isJson: boolean; lines: string[] } | null = null;
  for (const line of text.split("\n")) {
    if (open === null) {
      const [, fence, language = ""] = FENCE.exec(line) ?? [];
      if (fence !== undefined) open = { fence, isJson: /^(?:json)?$/i.test(language), lines: [] };
    } else if (line.trimEnd() === open.fence) {
      if (open.isJson) blocks.push(open.lines.join("\n"));
      open = null;
    } else {
      open.lines.push(line);
    }
  }
  return blocks;
}

const FENCE = /^(`{3,}|~{3,})[ \t]*(\S*)/;

/** The object that begins a line and ends the text, the shortest first. */
function* lastObject(text: string): Generator<object> {
  const trimmed = text.trimEnd();
  if (!trimmed.endsWith("}")) return;
  let start = trimmed.length;
  for (let tries = 0; tries < MOST_STARTS && start > 0; tries++) {
    start = trimmed.lastIndexOf("\n{", start - 1);
    if (start === -1) return;
    yield* objectIn(trimmed.slice(start + 1));
  }
}

/** Each try may read the rest of the text. */
const MOST_STARTS = 50;

function* objectIn(text: string): Generator<object> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) yield value;
  } catch {
    // Not JSON: the next candidate is tried.
  }
}
