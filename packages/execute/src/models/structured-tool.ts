import { toJsonObject } from "@uncaged/workflow-protocol";
import type { ToolDefinition } from "@uncaged/workflow-reactor";
import type { z } from "zod";
import { toJSONSchema } from "zod/v4/core";

/** The tool whose arguments are a value of the schema. What JSON Schema cannot say is left open: the value is
 *  checked against the schema itself. */
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
