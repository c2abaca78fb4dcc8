/** JSONata's own notion of truth: what `$boolean` would answer, and false for what is missing. */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTruthy);
  if (typeof value === "object" && value !== null) return isFilledObject(value);
  return typeof value !== "function" && Boolean(value);
}

function isFilledObject(value: object): boolean {
  // The evaluator represents functions as marked objects, and a function is no answer to a question.
  if ("_jsonata_function" in value || "_jsonata_lambda" in value) return false;
  return Object.keys(value).length > 0;
}
