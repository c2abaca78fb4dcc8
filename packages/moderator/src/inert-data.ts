/** The expression evaluator marks its own values with ordinary properties, so a meta that happens to have such a
 *  property would be taken for a function or a wrapper instead of data. */
const EVALUATOR_MARKS: ReadonlySet<string> = new Set([
  "_jsonata_function",
  "_jsonata_lambda",
  "outerWrapper",
  "tupleStream",
]);

/** The same data without fields that the evaluator would mistake for its own. Data without any (nearly all) is
 *  returned as it is, not copied. */
export function inertData<T>(value: T): T;
export function inertData(value: unknown): unknown {
  if (Array.isArray(value)) return changedOnly(value, value.map(inertData));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const kept = entries.filter(([key]) => !EVALUATOR_MARKS.has(key));
  const inert = kept.map(([key, item]) => [key, inertData(item)] as const);
  const same =
    inert.length === entries.length && inert.every(([, item], at) => item === kept[at]?.[1]);
  return same ? value : withoutPrototype(inert);
}

function changedOnly(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, at) => item === before[at]) ? before : after;
}

/** Keys such as `__proto__` stay data. */
function withoutPrototype(entries: readonly (readonly [string, unknown])[]): object {
  const copy: { [key: string]: unknown } = Object.create(null);
  for (const [key, item] of entries) copy[key] = item;
  return copy;
}
