/** Fields of a role's result that `thread context` does not show. */
import { type JsonValue, toJsonObject, type WorkflowDescriptor } from "@uncaged/workflow-protocol";
import { HIDDEN_FIELDS } from "../read/context-text.ts";
import type { TableFinding } from "./table-finding.ts";

export function checkMetaFields({ roles }: Pick<WorkflowDescriptor, "roles">): TableFinding[] {
  return Object.entries(roles).flatMap(([role, { schema }]) => {
    const fields = fieldsOf(schema, { root: schema, seen: new Set() });
    return [...HIDDEN_FIELDS]
      .filter((field) => fields.has(field))
      .map((field) => hidden(role, field));
  });
}

function hidden(role: string, field: string): TableFinding {
  const message = `the field ${field} never appears in the front matter of thread context: give it another name`;
  return {
    code: "META_FIELD_HIDDEN",
    level: "warning",
    place: `roles.${role}.schema.${field}`,
    message,
  };
}

/** Names of the fields that a result may have, in any of its alternatives. */
function fieldsOf(
  schema: JsonValue | undefined,
  at: { root: JsonValue; seen: Set<JsonValue> },
): Set<string> {
  const node = toJsonObject(schema);
  if (node === null || schema === undefined || at.seen.has(schema)) return new Set();
  at.seen.add(schema);
  const named = Object.keys(toJsonObject(node.properties) ?? {});
  const alternatives = [node.anyOf, node.oneOf, node.allOf].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  const others = [...alternatives, referred(node.$ref, at.root)];
  return new Set([...named, ...others.flatMap((each) => [...fieldsOf(each, at)])]);
}

/** Resolves `#/$defs/Result`. */
function referred(ref: JsonValue | undefined, root: JsonValue): JsonValue | undefined {
  if (typeof ref !== "string" || !ref.startsWith("#")) return undefined;
  const steps = ref.split("/").slice(1);
  return steps.reduce<JsonValue | undefined>(
    (node, step) => toJsonObject(node)?.[step.replaceAll("~1", "/").replaceAll("~0", "~")],
    root,
  );
}
