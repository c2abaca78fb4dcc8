import {
  type DescriptorRole,
  failure,
  type JsonObject,
  type RoleMeta,
  toJsonObject,
  type WorkflowDefinition,
  type WorkflowDescriptor,
  WorkflowError,
} from "@uncaged/workflow-protocol";
// Only the converter from zod's core: all of zod would add about 30 ms to a process's start.
import { type $ZodType, toJSONSchema } from "zod/v4/core";
import { checkDefinition } from "./check-definition.ts";
import { edgesOf } from "./edges.ts";
import { keysOf } from "./keys-of.ts";
import { rulesOfRole } from "./role-rules.ts";

/** The workflow as data: what a bundle exports beside its `run`, and what is shown and checked without running
 *  anything. Throws `RULE_INVALID` for a broken table, `DEFINITION_INVALID` for a schema that JSON Schema cannot
 *  express. */
export function buildDescriptor<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
): WorkflowDescriptor {
  checkDefinition(definition);
  const roles: { [role: string]: DescriptorRole } = {};
  for (const role of keysOf(definition.roles)) {
    const { description, systemPrompt, schema } = definition.roles[role];
    const rules = rulesOfRole(definition.roles[role]);
    roles[role] = { description, systemPrompt, schema: jsonSchema(schema, role), ...rules };
  }
  const { description, limits, result, workspace } = definition;
  const graph = { edges: edgesOf(definition) };
  return {
    description,
    roles,
    graph,
    ...(limits === undefined ? {} : { limits }),
    ...(result === undefined ? {} : { result }),
    ...(workspace === undefined ? {} : { workspace }),
  };
}

function jsonSchema(schema: $ZodType, role: string): JsonObject {
  try {
    const json = toJsonObject(toJSONSchema(schema));
    if (json !== null) return json;
    throw new TypeError("the conversion did not return a JSON object");
  } catch (thrown) {
    throw new WorkflowError(
      failure(
        "DEFINITION_INVALID",
        `roles.${role}.schema: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
        "describe the meta as plain JSON: no transforms, dates, maps, sets or custom checks",
      ),
      { cause: thrown },
    );
  }
}
