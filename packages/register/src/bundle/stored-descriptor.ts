/** Parses a descriptor written by `storeBundle`. Its content was checked when the bundle was added, and its digest
 *  has just been compared; so only its shape is checked here, without loading a schema library, because every start
 *  of a runner passes through. */
import {
  type DescriptorEdge,
  type DescriptorRole,
  parseJson,
  toJsonObject,
  WORKSPACE_MODES,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";

/** null when the text is not a descriptor. */
export function parseStoredDescriptor(text: string): WorkflowDescriptor | null {
  const value = toJsonObject(parseJson(text));
  return isDescriptor(value) ? value : null;
}

function isDescriptor(value: unknown): value is WorkflowDescriptor {
  if (!isObject(value) || !isObject(value.roles) || !isObject(value.graph)) return false;
  const { edges } = value.graph;
  return (
    typeof value.description === "string" &&
    Object.values(value.roles).every(isRole) &&
    Array.isArray(edges) &&
    edges.every(isEdge) &&
    isObjectOrAbsent(value.limits) &&
    (value.result === undefined || typeof value.result === "string") &&
    (value.workspace === undefined || WORKSPACE_MODES.some((mode) => mode === value.workspace))
  );
}

function isRole(value: unknown): value is DescriptorRole {
  return (
    isObject(value) &&
    typeof value.description === "string" &&
    typeof value.systemPrompt === "string" &&
    isObject(value.schema) &&
    isObjectOrAbsent(value.tools) &&
    isListOrAbsent(value.requiredEvidence) &&
    isObjectOrAbsent(value.retry) &&
    isObjectOrAbsent(value.limits) &&
    isObjectOrAbsent(value.coordinates)
  );
}

function isEdge(value: unknown): value is DescriptorEdge {
  return (
    isObject(value) &&
    typeof value.from === "string" &&
    typeof value.to === "string" &&
    typeof value.condition === "string" &&
    isTextOrNull(value.when) &&
    isTextOrNull(value.prompt) &&
    isTextOrNull(value.location) &&
    isListOrAbsent(value.outcomes)
  );
}

function isObjectOrAbsent(value: unknown): boolean {
  return value === undefined || isObject(value);
}

function isListOrAbsent(value: unknown): boolean {
  return value === undefined || Array.isArray(value);
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
