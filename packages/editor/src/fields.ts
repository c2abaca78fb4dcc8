/** The fields of a role's result as a form has them. */
import type { JsonObject } from "@uncaged/workflow-protocol";
import { fieldsAt, isFields, listAt, type Tree, textAt, treeAt } from "./tree.ts";

export type FieldKind =
  | "text"
  | "number"
  | "whole number"
  | "yes or no"
  | "list of texts"
  | "choice";

export type FieldForm = {
  name: string;
  /** `other`: a schema that only the text says. */
  kind: FieldKind | "other";
  /** Of a choice. */
  choices: string[];
  /** What is to be put there. */
  about: string | null;
  required: boolean;
};

/** Beside `status`, which are the answers. */
export function fieldsIn(output: Tree): FieldForm[] {
  const required = listAt(output, ["required"]);
  return [...fieldsAt(output, ["properties"])].flatMap(([name, schema]): FieldForm[] =>
    name === "status"
      ? []
      : [
          {
            name,
            kind: kindOf(schema),
            choices: listAt(schema, ["enum"]).filter((each) => typeof each === "string"),
            about: textAt(schema, ["description"]),
            required: required.includes(name),
          },
        ],
  );
}

/** `other` for whatever says more than the form can. */
function kindOf(schema: Tree): FieldForm["kind"] {
  const keys = isFields(schema) ? [...schema.keys()].filter((key) => key !== "description") : [];
  const only = keys.join(" ");
  const type = textAt(schema, ["type"]);
  if (only === "enum" || only === "type enum") {
    const list = listAt(schema, ["enum"]);
    return list.every((each) => typeof each === "string") ? "choice" : "other";
  }
  if (only === "type items") {
    const items = treeAt(schema, ["items"]);
    const isPlain = isFields(items) && items.size === 1 && items.get("type") === "string";
    return type === "array" && isPlain ? "list of texts" : "other";
  }
  return only === "type" ? (KINDS.get(type ?? "") ?? "other") : "other";
}

const KINDS: ReadonlyMap<string, FieldKind> = new Map([
  ["string", "text"],
  ["number", "number"],
  ["integer", "whole number"],
  ["boolean", "yes or no"],
]);

/** The schema that a form means. */
export function schemaOf({
  kind,
  choices,
  about,
}: Omit<FieldForm, "name" | "required">): JsonObject {
  const description = about === null || about === "" ? {} : { description: about };
  switch (kind) {
    case "number":
      return { type: "number", ...description };
    case "whole number":
      return { type: "integer", ...description };
    case "yes or no":
      return { type: "boolean", ...description };
    case "list of texts":
      return { type: "array", items: { type: "string" }, ...description };
    case "choice":
      return { enum: [...choices], ...description };
    default:
      return { type: "string", ...description };
  }
}
