import { isDeepStrictEqual } from "node:util";
import { parseJson } from "@uncaged/workflow-protocol";

/** Whether what was said is the meta as JSON and nothing else, in whatever order its fields stand. */
export function repeatsMeta(content: string, meta: { readonly [field: string]: unknown }): boolean {
  return content.trimStart().startsWith("{") && isDeepStrictEqual(parseJson(content), meta);
}
