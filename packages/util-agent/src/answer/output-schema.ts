import { failure, type JsonObject, toJsonObject, WorkflowError } from "@uncaged/workflow-protocol";
// Only the converter from zod's core: all of zod would add about 30 ms to a process's start.
import { type $ZodType, toJSONSchema } from "zod/v4/core";

/** A role's schema as JSON Schema, for agents. Throws `DEFINITION_INVALID` for one that JSON Schema cannot express. */
export function outputSchemaOf(schema: $ZodType): JsonObject {
  try {
    const json = toJsonObject(toJSONSchema(schema));
    if (json !== null) return json;
    throw new TypeError("the conversion did not return a JSON object");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WorkflowError(
      failure(
        "DEFINITION_INVALID",
        `the role's schema cannot be described to an agent: ${why}`,
        "describe the meta as plain JSON: no transforms, dates, maps, sets or custom checks",
      ),
      { cause },
    );
  }
}
