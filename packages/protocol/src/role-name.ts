import { ROLE_NAME_PATTERN } from "./identifiers.ts";

/** What is wrong with a role's name, as the end of a sentence; null when it is valid. */
export function roleNameFault(name: string): string | null {
  if (!ROLE_NAME_PATTERN.test(name)) {
    return "a role's name is a letter, then at most 63 letters, digits, _ or -";
  }
  return TRAPS.has(name)
    ? "the name means something else in JSONata or JavaScript; choose another"
    : null;
}

/** Names that every object already has, and words that JSONata reserves. */
const TRAPS: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  "prototype",
  "then",
  "and",
  "in",
  "or",
  "true",
  "false",
  "null",
  "function",
]);
