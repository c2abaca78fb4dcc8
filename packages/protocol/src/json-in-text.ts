/** How far back the last object of a text may begin, in opening braces: a text that is no JSON must not be tried
 *  at each of a million braces. */
const MAX_STARTS = 64;

/** Every JSON value that a text of an agent may mean as its result, the likeliest first: fenced blocks from the
 *  last to the first, the text as a whole, the last object within it. */
export function* jsonInText(text: string): Generator<unknown> {
  const fenced = [...text.matchAll(/^```(?:json)?[^\S\n]*\n([\s\S]*?)^```/gm)].reverse();
  for (const [, body = ""] of fenced) yield* parsed(body);
  yield* parsed(text);
  yield* lastObject(text);
}

function* lastObject(text: string): Generator<unknown> {
  const end = text.lastIndexOf("}");
  let start = end;
  for (let tries = 0; tries < MAX_STARTS && start > 0; tries++) {
    start = text.lastIndexOf("{", start - 1);
    if (start < 0) return;
    // Only the object that ends with the last brace parses; one inside it leaves a brace over.
    yield* parsed(text.slice(start, end + 1));
  }
}

function* parsed(text: string): Generator<unknown> {
  try {
    yield JSON.parse(text);
  } catch {
    // Not JSON: the next candidate is tried.
  }
}
