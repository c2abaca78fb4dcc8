/** Truth as JSONata defines it: the result of `$boolean`, and false for a missing value. */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTruthy);
  if (typeof value === "object" && value !== null) return isFilledObject(value);
  return typeof value !== "function" && Boolean(value);
}

function isFilledObject(value: object): boolean {
  // A function is not an answer.
  return !isFunction(value) && Object.keys(value).length > 0;
}

/** The evaluator represents functions as marked objects. */
export function isFunction(value: unknown): boolean {
  if (typeof value === "function") return true;
  if (typeof value !== "object" || value === null) return false;
  return "_jsonata_function" in value || "_jsonata_lambda" in value;
}
