import { isJsonWithin } from "./bounded-texts.ts";
import { type Place, TooMuchHere } from "./expression.ts";
import { LIMITS } from "./limits.ts";
import { isTruthy } from "./truthy.ts";

/** What is wanted of an expression: whether it holds, or what it says in a text. */
export type Wanted = "truth" | "text";

/** "true" or "false"; or the text: numbers and booleans as such, lists and objects as JSON, nothing for what is
 *  missing or null. */
export function answerIn(wanted: Wanted, value: unknown, place: Place): string {
  if (wanted === "truth") return String(isTruthy(value));
  if (value === undefined || value === null) return "";
  if (typeof value !== "object") return String(value);
  const maxChars = place === "here" ? CHARS_HERE : LIMITS.textChars;
  if (isJsonWithin(value, maxChars)) return JSON.stringify(value);
  if (place === "here") throw new TooMuchHere();
  throw new Error(`a value of more than ${maxChars} characters as JSON`);
}

/** Written in a few milliseconds. */
const CHARS_HERE = 1_048_576;
