import { toJsonObject } from "@uncaged/workflow-protocol";
import type { ToolDefinition } from "@uncaged/workflow-reactor";
import type { z } from "zod";
import { toJSONSchema } from "zod/v4/core";

/** A tool whose arguments are a value of the schema. Constraints that JSON Schema cannot express are left out: the
 *  value is checked against the original schema anyway. */
export function structuredTool(
  name: string,
  description: string,
): (schema: z.ZodType) => ToolDefinition {
  return (schema) => ({
    name,
    description,
    parameters: toJsonObject(toJSONSchema(schema, { io: "input", unrepresentable: "any" })) ?? {
      type: "object",
    },
  });
}
