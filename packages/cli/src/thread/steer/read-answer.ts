/** An answer as it is written on a command line: `field=value` for each field, or one JSON object.
 *
 *  The form says how a value is read. What is not readable as its type stays text, so that the form's own check names
 *  it together with all other faults. */
import {
  type JsonObject,
  type JsonValue,
  parseJson,
  toJsonObject,
} from "@uncaged/workflow-protocol";
import { usageError } from "../../command/options.ts";

/** Throws `USAGE` for a word that is neither. */
export function readAnswer(form: JsonObject, words: readonly string[]): JsonObject {
  const [only] = words;
  if (only?.trimStart().startsWith("{") === true) {
    const object = words.length === 1 ? toJsonObject(parseJson(only)) : null;
    if (object !== null) return object;
    throw usageError("the answer is not one JSON object", "give one object, or field=value words");
  }
  const properties = toJsonObject(form.properties) ?? {};
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf("=");
      if (at < 1) throw usageError(`${JSON.stringify(word)} is not field=value`, HINT);
      const name = word.slice(0, at);
      const schema = Object.hasOwn(properties, name) ? toJsonObject(properties[name]) : null;
      return [name, readValue(schema ?? {}, word.slice(at + 1))];
    }),
  );
}

const HINT = "write each field as field=value, such as approved=true";

/** A field that takes text takes it as it is; any other is read as JSON, and yes and no as booleans. */
export function readValue(schema: JsonObject, text: string): JsonValue {
  const types = typesOf(schema);
  if (types.includes("boolean") && /^(yes|no|y|n)$/i.test(text)) return /^y/i.test(text);
  if (types.includes("string")) return text;
  const value = toJsonObject({ value: parseJson(text) })?.value;
  return value === undefined ? text : value;
}

function typesOf(schema: JsonObject): string[] {
  const { type, enum: choices, anyOf } = schema;
  const said = Array.isArray(type) ? type : [type];
  const ofChoices = Array.isArray(choices) ? choices.map((choice) => typeof choice) : [];
  const ofOthers = Array.isArray(anyOf)
    ? anyOf.flatMap((each) => typesOf(toJsonObject(each) ?? {}))
    : [];
  return [...said.filter((each) => typeof each === "string"), ...ofChoices, ...ofOthers];
}
