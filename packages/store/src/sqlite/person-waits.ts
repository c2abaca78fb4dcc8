import {
  type PersonWait,
  type StepRoute,
  toJsonObject,
  type Waits,
} from "@uncaged/workflow-protocol";

/** The people that a row says its thread waits for; null when it does not say so. */
export function personWaits(value: unknown): Waits | null {
  if (!Array.isArray(value)) return null;
  const waits = value.map(personWait).filter((wait) => wait !== null);
  const [first, ...others] = waits;
  return first === undefined || waits.length < value.length ? null : [first, ...others];
}

function personWait(value: unknown): PersonWait | null {
  const stored = toJsonObject(value);
  if (stored?.kind !== "person") return null;
  const { role, message, since, deadline, assignees, member } = stored;
  const [form, route] = [toJsonObject(stored.form), stored.route];
  if (typeof role !== "string" || typeof message !== "string") return null;
  if (form === null || typeof since !== "number" || !isNullOr(deadline, "number")) return null;
  if (!Array.isArray(assignees) || !assignees.every((each) => typeof each === "string"))
    return null;
  if (route !== null && !isRoute(route)) return null;
  const group = typeof member === "number" ? { member } : {};
  return { kind: "person", role, message, form, route, since, deadline, assignees, ...group };
}

function isRoute(value: unknown): value is StepRoute {
  const route = toJsonObject(value);
  if (route === null) return false;
  const { from, to, condition, rule, prompt } = route;
  return (
    [from, to, condition].every((each) => typeof each === "string") &&
    isNullOr(rule, "number") &&
    isNullOr(prompt, "string")
  );
}

function isNullOr(value: unknown, type: "number"): value is number | null;
function isNullOr(value: unknown, type: "string"): value is string | null;
function isNullOr(value: unknown, type: "number" | "string"): boolean {
  return value === null || typeof value === type;
}
