/** Where in a file the parts of its workflow are written, by the names that findings use: `table.writer[0].prompt`. */
import type { Transition } from "@uncaged/workflow-protocol";
import { isMap, isScalar } from "yaml";
import type { Span } from "./faults.ts";
import { entriesOf, type Item } from "./item.ts";

export type Written = ReadonlyMap<string, Span>;

/** Which value of the file each rule was read from. */
export type RuleItems = Map<Transition, Item>;

export function writtenAt(parts: {
  table: { readonly [from: string]: readonly Transition[] };
  rules: RuleItems;
  /** Those of the file's top level. */
  fields: ReadonlyMap<string, Item>;
}): Written {
  const written = new Map<string, Span>();
  const result = parts.fields.get("result");
  if (result !== undefined) written.set("result", result.span);
  const roles = parts.fields.get("roles");
  for (const [name, { keySpan }] of entriesIn(roles)) written.set(`roles.${name}`, keySpan);
  for (const [from, transitions] of Object.entries(parts.table)) {
    for (const [at, transition] of transitions.entries()) {
      const item = parts.rules.get(transition);
      if (item === undefined) continue;
      const place = `table.${from}[${at}]`;
      written.set(place, isMap(item.node) ? item.keySpan : item.span);
      // Findings name what a group says as a part of the group.
      const inside = transition.group === undefined ? place : `${place}.group`;
      for (const [name, { span }] of entriesIn(item)) {
        written.set(`${place}.${name}`, span);
        written.set(`${inside}.${name}`, span);
      }
    }
  }
  return written;
}

/** Of a mapping that has been read, so nothing is said of it again. */
function entriesIn(item: Item | undefined): ReadonlyMap<string, Item> {
  if (item === undefined || !isMap(item.node)) return new Map();
  const isNamed = item.node.items.every(
    ({ key }) => isScalar(key) && typeof key.value === "string",
  );
  return (isNamed ? entriesOf(item, "a mapping") : null) ?? new Map();
}
