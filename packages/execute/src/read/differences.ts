import type { JsonObject, JsonValue } from "@uncaged/workflow-protocol";

/** A place where two JSON values differ; `undefined` where one has nothing there. */
export type Difference = {
  /** `phases[1].title`; empty: the values themselves. */
  path: string;
  a: JsonValue | undefined;
  b: JsonValue | undefined;
};

/** Every place where two JSON values differ, as deep as both have the same shape. */
export function differences(a: JsonValue, b: JsonValue): Difference[] {
  return differencesAt("", a, b);
}

function differencesAt(
  path: string,
  a: JsonValue | undefined,
  b: JsonValue | undefined,
): Difference[] {
  if (isList(a) && isList(b)) {
    return Array.from({ length: Math.max(a.length, b.length) }, (_unused, index) => index).flatMap(
      (index) => differencesAt(`${path}[${index}]`, a[index], b[index]),
    );
  }
  if (isObject(a) && isObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return keys.flatMap((key) => differencesAt(fieldPath(path, key), own(a, key), own(b, key)));
  }
  return a === b ? [] : [{ path, a, b }];
}

function fieldPath(path: string, key: string): string {
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
