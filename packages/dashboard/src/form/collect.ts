import type { JsonObject, JsonValue } from "@uncaged/workflow-protocol";
import { type Control, type FormField, isObject } from "./fields.ts";

/** What stands in the controls, by property: a text, a choice, a list of choices, or a form's own. */
export type Entered = { readonly [name: string]: EnteredValue };
export type EnteredValue = string | readonly string[] | Entered | undefined;

/** The answer that the controls say, and what is wrong with them by the path of the control. The engine checks the
 *  answer against the whole schema; here is only said what would not even be one. */
export function collect(
  fields: readonly FormField[],
  entered: Entered,
  path = "",
): { value: JsonObject; faults: { [path: string]: string } } {
  const value: { [name: string]: JsonValue } = {};
  const faults: { [path: string]: string } = {};
  for (const field of fields) {
    const at = `${path}${field.name}`;
    const given = entered[field.name];
    const said = read(field.control, given, at);
    if ("faults" in said) Object.assign(faults, said.faults);
    else if (said.value !== undefined) value[field.name] = said.value;
    else if (isNullable(field.control) && field.required) value[field.name] = null;
    else if (field.required) faults[at] = "this is needed";
  }
  return { value, faults };
}

type Said = { value: JsonValue | undefined } | { faults: { [path: string]: string } };

function read(control: Control, given: EnteredValue, at: string): Said {
  switch (control.kind) {
    case "choice": {
      const option = control.options.find((each) => keyOf(each) === given);
      return { value: option };
    }
    case "yes-no":
      return { value: given === "yes" ? true : given === "no" ? false : undefined };
    case "number": {
      const words = typeof given === "string" ? given.trim() : "";
      if (words === "") return { value: undefined };
      const number = Number(words);
      if (!Number.isFinite(number)) return { faults: { [at]: "this is not a number" } };
      if (control.whole && !Number.isInteger(number)) {
        return { faults: { [at]: "this has to be a whole number" } };
      }
      return { value: number };
    }
    case "text":
      return { value: typeof given === "string" && given !== "" ? given : undefined };
    case "lines": {
      const lines = typeof given === "string" ? given.split("\n") : [];
      return { value: lines.map((line) => line.trim()).filter((line) => line !== "") };
    }
    case "several": {
      const chosen = Array.isArray(given) ? given : [];
      return { value: control.options.filter((each) => chosen.includes(keyOf(each))) };
    }
    case "fields": {
      const inner = collect(control.fields, isEntered(given) ? given : {}, `${at}.`);
      return Object.keys(inner.faults).length > 0
        ? { faults: inner.faults }
        : { value: inner.value };
    }
    case "json":
      return readJson(given, at);
  }
}

function readJson(given: EnteredValue, at: string): Said {
  if (typeof given !== "string" || given.trim() === "") return { value: undefined };
  try {
    return { value: JSON.parse(given) };
  } catch {
    return { faults: { [at]: "this is not JSON" } };
  }
}

function isNullable(control: Control): boolean {
  return "nullable" in control && control.nullable;
}

function isEntered(given: EnteredValue): given is Entered {
  return isObject(given);
}

/** A choice as a control can hold it. */
export function keyOf(option: JsonValue): string {
  return typeof option === "string" ? option : JSON.stringify(option);
}
