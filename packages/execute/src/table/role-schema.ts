/** The JSON Schema that a descriptor has for a role, and what does not fit it. No code of the bundle runs. */
import { withLinearPatterns } from "@uncaged/workflow-moderator";
import { failure, type JsonObject, WorkflowError } from "@uncaged/workflow-protocol";
import { z } from "zod";

export type MetaFault = {
  /** Where in the meta: `phases[0].hash`; empty: the meta as a whole. */
  path: string;
  message: string;
};

/** Throws `DEFINITION_INVALID` for an invalid schema. */
export function readRoleSchema(role: string, schema: JsonObject): z.ZodType {
  try {
    // A pattern that needs look-around is not checked here: it was checked when the step was made.
    return withLinearPatterns(schema, "skip", () => z.fromJSONSchema(schema));
  } catch (cause) {
    throw new WorkflowError(
      failure(
        "DEFINITION_INVALID",
        `roles.${role}.schema cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
        "describe the role's result with a simpler JSON Schema",
      ),
      { cause },
    );
  }
}

export function faultsIn({ issues }: z.ZodError): MetaFault[] {
  return issues.map(({ path, message }) => ({ path: pathText(path), message }));
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}
