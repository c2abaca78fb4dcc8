/** Reads a descriptor that `storeBundle` wrote. What it says was checked when the bundle was added, and its
 *  digest was compared just now; so only its shape is looked at here, without loading a schema library:
 *  every start of a runner passes through. */
import {
  type DescriptorEdge,
  type DescriptorRole,
  type JsonObject,
  toJsonObject,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";

/** null when the text is no descriptor. */
export function parseStoredDescriptor(text: string): WorkflowDescriptor | null {
  const value = parsed(text);
  if (value === null || !isObject(value.roles) || !isObject(value.graph)) return null;
  const { description } = value;
  const roles = Object.entries(value.roles).map(([name, role]) => [name, roleOf(role)] as const);
  const edgeValues = value.graph.edges;
  if (typeof description !== "string" || !Array.isArray(edgeValues)) return null;
  const edges = edgeValues.map(edgeOf);
  if (!roles.every(hasRole) || !edges.every((edge) => edge !== null)) return null;
  return { description, roles: Object.fromEntries(roles), graph: { edges } };
}

type Fields = { readonly [key: string]: unknown };

function parsed(text: string): JsonObject | null {
  try {
    return toJsonObject(JSON.parse(text));
  } catch {
    return null;
  }
}

function roleOf(value: unknown): DescriptorRole | null {
  if (!isObject(value)) return null;
  const { description, systemPrompt } = value;
  const schema = toJsonObject(value.schema);
  if (typeof description !== "string" || typeof systemPrompt !== "string" || schema === null)
    return null;
  return { description, systemPrompt, schema };
}

function edgeOf(value: unknown): DescriptorEdge | null {
  if (!isObject(value)) return null;
  const { from, to, condition, when, prompt, location } = value;
  if (typeof from !== "string" || typeof to !== "string" || typeof condition !== "string")
    return null;
  if (!isTextOrNull(when) || !isTextOrNull(prompt) || !isTextOrNull(location)) return null;
  return { from, to, condition, when, prompt, location };
}

function hasRole(
  entry: readonly [string, DescriptorRole | null],
): entry is readonly [string, DescriptorRole] {
  return entry[1] !== null;
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
