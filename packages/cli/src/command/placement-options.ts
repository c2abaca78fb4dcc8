/** Which workers may run a thread. */
import { DEFAULT_POOL, PLACE_NAME_PATTERN, type Placement } from "@uncaged/workflow-protocol";
import { type Given, type Option, parsedOption, repeatedOption, usageError } from "./options.ts";

const pool: Option<string | null> = parsedOption(
  "--pool <name>",
  `only workers of this pool may run the thread (default: ${DEFAULT_POOL})`,
  placeName,
);
const needs: Option<readonly string[]> = repeatedOption(
  "--needs <label>",
  "only workers with this label may run the thread",
);

export const placementOptions: readonly Option<unknown>[] = [pool, needs];

/** Throws `USAGE`. */
export function placementOf(given: Given): Placement {
  return { pool: given(pool) ?? DEFAULT_POOL, needs: placeNames(given(needs), "--needs") };
}

/** Without those that are named again. Throws `USAGE`. */
export function placeNames(words: readonly string[], name: string): string[] {
  return [...new Set(words.map((word) => placeName(word, name)))];
}

function placeName(word: string, name: string): string {
  if (PLACE_NAME_PATTERN.test(word)) return word;
  throw usageError(
    `${name} must be up to 64 letters, digits, dots, colons, hyphens and underscores, and begin and end with a letter or digit; it was ${JSON.stringify(word)}`,
  );
}
