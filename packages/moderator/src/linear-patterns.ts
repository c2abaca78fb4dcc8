import type { JsonObject } from "@uncaged/workflow-protocol";
import { RE2JS } from "re2js";

/** Returns the result of `make` on a JSON Schema, with the schema's patterns matched in linear time, because they
 *  run on what agents say. See docs/decisions/0009-regexes-of-rules-are-linear.md.
 *
 *  `make` must be synchronous. A library that turns a schema into a validator constructs its regular expressions in
 *  there, at any depth and out of the caller's reach; so that is where they are replaced.
 *
 *  `notLinear`: a pattern that no linear engine can match is either refused by throwing, or left unchecked. */
export function withLinearPatterns<T>(
  schema: JsonObject,
  notLinear: "refuse" | "skip",
  make: () => T,
): T {
  const patterns = patternsIn(schema);
  const builtIn = globalThis.RegExp;
  const exchanging: ProxyHandler<RegExpConstructor> = {
    construct(target, args: unknown[], newTarget) {
      const [source] = args;
      if (typeof source !== "string" || !patterns.has(source)) {
        return Reflect.construct(target, args, newTarget);
      }
      return new LinearRegExp(source, notLinear);
    },
  };
  globalThis.RegExp = new Proxy(builtIn, exchanging);
  try {
    return make();
  } finally {
    globalThis.RegExp = builtIn;
  }
}

/** Patterns, as JSON Schema names them, anywhere; a field whose name looks like one does no harm. */
function patternsIn(schema: JsonObject): ReadonlySet<string> {
  const patterns = new Set<string>();
  const open: unknown[] = [schema];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const [key, item] of Object.entries(value)) {
      if (key === "pattern" && typeof item === "string") patterns.add(item);
      if (key === "patternProperties")
        for (const name of Object.keys(Object(item))) patterns.add(name);
      if (item !== undefined) open.push(item);
    }
  }
  return patterns;
}

/** Keeps its source, with which a schema is written. */
class LinearRegExp extends RegExp {
  readonly #linear: RE2JS | null;

  constructor(source: string, notLinear: "refuse" | "skip") {
    super(source);
    this.#linear = compiled(source, notLinear);
  }

  override test(text: string): boolean {
    return this.#linear?.matcher(text).find() ?? true;
  }
}

function compiled(source: string, notLinear: "refuse" | "skip"): RE2JS | null {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (thrown) {
    if (notLinear === "skip") return null;
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new Error(`/${source}/ is not a pattern that can be matched in linear time: ${why}`);
  }
}
