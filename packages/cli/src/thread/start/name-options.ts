/** A thread's title and labels. */
import {
  LABEL_KEY_PATTERN,
  LABEL_VALUE_PATTERN,
  type ThreadLabels,
  TITLE_PATTERN,
} from "@uncaged/workflow-protocol";
import {
  type Given,
  type Option,
  repeatedOption,
  textOption,
  usageError,
} from "../../command/options.ts";

export const titleOption: Option<string | null> = textOption(
  "--title <text>",
  "what the thread is called in lists (default: the first line of its prompt)",
);
export const labelOption: Option<readonly string[]> = repeatedOption(
  "--label <key=value>",
  "a label to find the thread by; one called keep protects it from thread prune",
);
export const labelFilterOption: Option<readonly string[]> = repeatedOption(
  "--label <key=value>",
  "only threads with this label; a key alone stands for any value",
);

/** null: none was given. Throws `USAGE`. */
export function titleOf(given: Given): string | null {
  const title = given(titleOption);
  if (title === null || TITLE_PATTERN.test(title)) return title;
  throw usageError("--title must be one line of 1 to 200 characters");
}

/** A key alone has an empty value. Throws `USAGE`. */
export function labelsOf(given: Given): ThreadLabels {
  const labels = new Map<string, string>();
  for (const word of given(labelOption)) {
    const { key, value } = labelIn(word);
    if (labels.has(key)) throw usageError(`--label ${key} is given twice`);
    labels.set(key, value ?? "");
  }
  return Object.fromEntries(labels);
}

/** A key alone has the value null. Throws `USAGE`. */
export function labelFilterOf(given: Given): { readonly [key: string]: string | null } {
  const words = given(labelFilterOption).map(labelIn);
  return Object.fromEntries(words.map(({ key, value }) => [key, value]));
}

/** Of `key=value`, `key` and `key-`, which removes it. Throws `USAGE`. */
export function labelChanges(words: readonly string[]): { set: ThreadLabels; unset: string[] } {
  const set = new Map<string, string>();
  const unset: string[] = [];
  for (const word of words) {
    const removes = word.endsWith("-") && !word.includes("=");
    const { key, value } = labelIn(removes ? word.slice(0, -1) : word);
    if (set.has(key) || unset.includes(key)) throw usageError(`${key} is given twice`);
    if (removes) unset.push(key);
    else set.set(key, value ?? "");
  }
  return { set: Object.fromEntries(set), unset };
}

function labelIn(word: string): { key: string; value: string | null } {
  const at = word.indexOf("=");
  const key = at === -1 ? word : word.slice(0, at);
  const value = at === -1 ? null : word.slice(at + 1);
  if (LABEL_KEY_PATTERN.test(key) && LABEL_VALUE_PATTERN.test(value ?? "")) return { key, value };
  throw usageError(
    `a label must be key=value, such as team=core; it was ${JSON.stringify(word)}`,
    "a key has up to 63 letters, digits, dots, hyphens, underscores and slashes; a value is one line",
  );
}
