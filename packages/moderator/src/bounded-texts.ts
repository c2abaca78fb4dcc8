/** Functions with which expressions create texts, checked in advance for the resulting length: the originals
 *  allocate all of it in one go, which no limit can interrupt. */
import { LIMITS } from "./limits.ts";

/** `$pad`. */
export function padWithin(text: string | undefined, width: number, char = " "): string | undefined {
  if (text === undefined) return undefined;
  if (Math.abs(width) > LIMITS.padWidth) {
    throw new Error(`$pad to a width of ${width}, at most ${LIMITS.padWidth} is allowed`);
  }
  const missing = Math.abs(Math.trunc(width)) - [...text].length;
  if (missing <= 0) return text;
  const unit = [...(char === "" ? " " : char)];
  const padding = Array.from({ length: missing }, (_, at) => unit[at % unit.length]).join("");
  return width > 0 ? text + padding : padding + text;
}

/** `$join`. */
export function joinWithin(
  texts: readonly string[] | undefined,
  separator = "",
): string | undefined {
  if (texts === undefined) return undefined;
  const separators = Math.max(0, texts.length - 1) * separator.length;
  const chars = texts.reduce((sum, text) => sum + text.length, separators);
  if (chars > LIMITS.textChars) {
    throw new Error(`$join to ${chars} characters, at most ${LIMITS.textChars} are handled`);
  }
  return texts.join(separator);
}

/** Whether a value's JSON is at most this long, computed without writing it; with `indent` as it would be with
 *  indentation. What occurs twice counts twice, so this takes no longer than `maxChars` allow. */
export function isJsonWithin(value: unknown, maxChars: number, indent = 0): boolean {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  let chars = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: each, depth } = next;
    chars += 2 + (typeof each === "string" ? each.length : 1);
    if (typeof each === "object" && each !== null) {
      const entries = Array.isArray(each) ? each.entries() : Object.entries(each);
      for (const [key, item] of entries) {
        chars += 1 + (typeof key === "string" ? key.length + 3 : 0) + indent * depth;
        if (chars > maxChars) return false;
        open.push({ value: item, depth: depth + 1 });
      }
    }
    if (chars > maxChars) return false;
  }
  return true;
}
