import { isJsonWithin } from "./bounded-texts.ts";
import { type Place, TooMuchHere } from "./expression.ts";
import { LIMITS } from "./limits.ts";
import { isFunction, isTruthy } from "./truthy.ts";

/** What an expression is evaluated for: whether it holds, the text it stands for, or its value as JSON. */
export type Wanted = "truth" | "text" | "json";

/** "true" or "false"; or the text: numbers and booleans as they are, lists and objects as JSON, nothing for a
 *  missing or null value; or JSON, in which a missing value is null. */
export function answerIn(wanted: Wanted, value: unknown, place: Place): string {
  if (wanted === "truth") return String(isTruthy(value));
  if (typeof value !== "object" || value === null) {
    return wanted === "json" ? jsonOf(value ?? null) : String(value ?? "");
  }
  // A function holds its surroundings, which would be written out without an end.
  if (wanted === "json" && isFunction(value)) throw functionFound();
  const maxChars = place === "here" ? CHARS_HERE : LIMITS.textChars;
  if (isJsonWithin(value, maxChars))
    return wanted === "json" ? jsonOf(value) : JSON.stringify(value);
  if (place === "here") throw new TooMuchHere();
  throw new Error(`a value of more than ${maxChars} characters as JSON`);
}

/** Refuses what JSON would leave out, or write as something else. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (isFunction(part)) throw functionFound();
    if (typeof part === "number" && !Number.isFinite(part)) {
      throw new Error("a number is out of range");
    }
    return part;
  });
}

function functionFound(): Error {
  return new Error("its value is a function, not data");
}

/** Written in a few milliseconds. */
const CHARS_HERE = 1_048_576;
