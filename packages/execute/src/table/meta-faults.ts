/** Whether metas fit the JSON Schemas that a descriptor has for its roles. No code of the bundle runs. */
import { withLinearPatterns } from "@uncaged/workflow-moderator";
import {
  failure,
  type JsonObject,
  type WorkflowDescriptor,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { z } from "zod";

type MetaFault = {
  /** Where in the meta: `phases[0].hash`; empty: the meta as a whole. */
  path: string;
  message: string;
};

/** Returns the faults in a role's meta; empty for a role that the descriptor lacks. Throws `DEFINITION_INVALID` for an
 *  invalid schema. */
export type FindMetaFaults = (role: string, meta: unknown) => MetaFault[];

/** Compiles each schema once, when its role first comes up. */
export function metaFaultsBy({ roles }: WorkflowDescriptor): FindMetaFaults {
  const schemas = new Map<string, z.ZodType>();
  return (role, meta) => {
    const described = Object.hasOwn(roles, role) ? roles[role] : undefined;
    if (described === undefined) return [];
    const schema = schemas.get(role) ?? readSchema(role, described.schema);
    schemas.set(role, schema);
    const parsed = schema.safeParse(meta);
    if (parsed.success) return [];
    return parsed.error.issues.map(({ path, message }) => ({ path: pathText(path), message }));
  };
}

function readSchema(role: string, schema: JsonObject): z.ZodType {
  try {
    // A pattern that needs look-around is not checked here: it was checked when the step was made.
    return withLinearPatterns(schema, "skip", () => z.fromJSONSchema(schema));
  } catch (cause) {
    throw new WorkflowError(
      failure(
        "DEFINITION_INVALID",
        `roles.${role}.schema cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
        "describe the role's result in simpler terms of JSON Schema",
      ),
      { cause },
    );
  }
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}
