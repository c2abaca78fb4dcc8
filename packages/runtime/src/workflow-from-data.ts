import { withLinearPatterns } from "@uncaged/workflow-moderator";
import {
  type AdapterFn,
  failure,
  type JsonObject,
  type RoleData,
  type RoleDefinition,
  type WorkflowData,
  type WorkflowDefinition,
  type WorkflowDescriptor,
  WorkflowError,
  type WorkflowFn,
} from "@uncaged/workflow-protocol";
import { z } from "zod";
import { buildDescriptor } from "./build-descriptor.ts";
import { createWorkflow } from "./create-workflow.ts";
import { namedAgent } from "./named-agent.ts";

/** A bundle's exports, made from data. Throws `RULE_INVALID` for a broken table, `DEFINITION_INVALID` for a schema
 *  that cannot be checked. */
export function workflowFromData(data: WorkflowData): {
  run: WorkflowFn;
  descriptor: WorkflowDescriptor;
} {
  const { description, table, limits, result, workspace, agents } = data;
  const roles = Object.fromEntries(
    Object.entries(data.roles).map(([name, role]) => [name, roleOf(name, role)]),
  );
  const definition: WorkflowDefinition = {
    description,
    roles,
    table,
    ...(limits === undefined ? {} : { limits }),
    ...(result === undefined ? {} : { result }),
    ...(workspace === undefined ? {} : { workspace }),
  };
  const overrides = Object.fromEntries(
    Object.entries(agents.roles).map(([role, agent]): [string, AdapterFn] => [
      role,
      namedAgent(agent),
    ]),
  );
  return {
    run: createWorkflow(definition, { adapter: namedAgent(agents.default), overrides }),
    descriptor: buildDescriptor(definition),
  };
}

function roleOf(name: string, { schema, ...role }: RoleData): RoleDefinition {
  return { ...role, schema: objectSchema(name, schema), extractRefs: null };
}

function objectSchema(role: string, json: JsonObject): z.ZodType<Record<string, unknown>> {
  try {
    const schema = withLinearPatterns(json, "refuse", () => z.fromJSONSchema(json));
    if (schema instanceof z.ZodObject) return schema;
    throw new TypeError('it does not describe an object: its "type" must be "object"');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WorkflowError(
      failure("DEFINITION_INVALID", `roles.${role}.schema: ${why}`, "correct the JSON Schema"),
      { cause },
    );
  }
}
