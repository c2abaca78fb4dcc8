import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "@uncaged/workflow-protocol";

/** Whether what was said is the meta as JSON and nothing else, in whatever order its fields stand. */
export function repeatsMeta(content: string, meta: { readonly [field: string]: unknown }): boolean {
  return content.trimStart().startsWith("{") && isDeepStrictEqual(jsonOrNull(content), meta);
}

function jsonOrNull(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
