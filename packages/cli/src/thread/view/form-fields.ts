import { type JsonObject, type JsonValue, toJsonObject } from "@uncaged/workflow-protocol";
import { printableLine } from "../../terminal/printable.ts";

/** How to answer a form on a command line, each field with what it takes: ` approved=<true|false> comment=<text>`.
 *  Fields that may be left out are in brackets. */
export function formFields(form: JsonObject): string {
  const properties = Object.entries(toJsonObject(form.properties) ?? {});
  const required = Array.isArray(form.required) ? form.required : [];
  return properties
    .map(([name, schema]) => {
      const word = `${printableLine(name, 40)}=<${valuesOf(toJsonObject(schema) ?? {})}>`;
      return required.includes(name) ? ` ${word}` : ` [${word}]`;
    })
    .join("");
}

function valuesOf(schema: JsonObject): string {
  if (Array.isArray(schema.enum)) return schema.enum.map(choice).join("|");
  if (Array.isArray(schema.anyOf))
    return schema.anyOf.map((each) => valuesOf(toJsonObject(each) ?? {})).join("|");
  switch (schema.type) {
    case "boolean":
      return "true|false";
    case "number":
    case "integer":
      return "number";
    case "string":
      return "text";
    case "null":
      return "null";
    default:
      return "JSON";
  }
}

function choice(value: JsonValue): string {
  return printableLine(typeof value === "string" ? value : JSON.stringify(value), 40);
}
