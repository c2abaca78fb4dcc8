import { closest, distance } from "fastest-levenshtein";

/** `; did you mean "reviewer"?` when one of the known words is close, otherwise a list of the words, if they are
 *  few. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  // The comparison takes time proportional to the product of both lengths.
  const same = known.find((each) => each.toLowerCase() === word.toLowerCase());
  const nearest = word.length > MAX_LENGTH ? "" : (same ?? closest(word, [...known]));
  const isClose =
    same !== undefined ||
    distance(word.slice(0, MAX_LENGTH), nearest) <=
      Math.max(word.length > 3 ? 2 : 1, word.length / 3);
  if (nearest !== "" && isClose) return `; did you mean ${JSON.stringify(nearest)}?`;
  return known.length <= MAX_LISTED ? `; there are: ${known.join(", ")}` : "";
}

const MAX_LENGTH = 64;
const MAX_LISTED = 24;
