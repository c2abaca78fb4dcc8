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
  return isMarked(value) ? withoutMarks(value) : value;
}

/** Every step of every thread comes through here, so nothing is allocated. */
function isMarked(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (isMarked(item)) return true;
    return false;
  }
  for (const key in value) {
    if (EVALUATOR_MARKS.has(key) || isMarked(Reflect.get(value, key))) return true;
  }
  return false;
}

/** Keys such as `__proto__` stay data. */
function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inertData);
  if (typeof value !== "object" || value === null) return value;
  const copy: { [key: string]: unknown } = Object.create(null);
  for (const [key, item] of Object.entries(value)) {
    if (!EVALUATOR_MARKS.has(key)) copy[key] = inertData(item);
  }
  return copy;
}
