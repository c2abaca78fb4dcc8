import type { JsonValue, ModeratorContext } from "@uncaged/workflow-protocol";
import { inertData } from "./inert-data.ts";
import { visible } from "./projection.ts";

/** What expressions see besides the thread, such as the item of a group's member. */
export type Names = { readonly [name: string]: JsonValue };

/** The names for expressions about this thread: a group that had no members left no step to tell of it. */
export function namesFor({ emptyGroup: name }: ModeratorContext, given: Names): Names {
  if (name === undefined) return given;
  return { ...given, group: { name, of: 0, count: 0, failed: 0, results: [] } };
}

/** The root object of an expression. */
export function rootOf(context: ModeratorContext, names: Names): object {
  return { ...visible(context), ...inertData(names) };
}
