import {
  type AskingGroup,
  type GroupJoin,
  type PersonWait,
  type StepRoute,
  toJsonObject,
  type Waits,
} from "@uncaged/workflow-protocol";

/** The people that a thread waits for according to its row; null when the row is invalid. */
export function personWaits(value: unknown): Waits | null {
  if (!Array.isArray(value)) return null;
  const waits = value.map(personWait).filter((wait) => wait !== null);
  const [first, ...others] = waits;
  return first === undefined || waits.length < value.length ? null : [first, ...others];
}

export function personWait(value: unknown): PersonWait | null {
  const stored = toJsonObject(value);
  if (stored?.kind !== "person") return null;
  const { role, message, since, deadline, assignees, member } = stored;
  const [form, route] = [toJsonObject(stored.form), stored.route];
  if (typeof role !== "string" || typeof message !== "string") return null;
  if (form === null || typeof since !== "number" || !isNullOr(deadline, "number")) return null;
  if (!Array.isArray(assignees) || !assignees.every((each) => typeof each === "string"))
    return null;
  if (route !== null && !isRoute(route)) return null;
  const group = groupOf(stored.group);
  const place = {
    ...(typeof member === "number" ? { member } : {}),
    ...(group === null ? {} : { group }),
    ...(stored.permission === true ? { permission: true as const } : {}),
  };
  return { kind: "person", role, message, form, route, since, deadline, assignees, ...place };
}

function groupOf(value: unknown): AskingGroup | null {
  const stored = toJsonObject(value);
  if (stored === null) return null;
  const { name, entry, of } = stored;
  const join = joinOf(stored.join);
  if (typeof name !== "string" || typeof entry !== "number" || typeof of !== "number") return null;
  return join === null ? null : { name, entry, of, join };
}

function joinOf(value: unknown): GroupJoin | null {
  if (value === "all" || value === "any") return value;
  const atLeast = toJsonObject(value)?.atLeast;
  return typeof atLeast === "number" ? { atLeast } : null;
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
