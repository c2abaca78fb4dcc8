/** Whether metas fit the JSON Schemas that a descriptor has for its roles. */
import type { WorkflowDescriptor } from "@uncaged/workflow-protocol";
import type { z } from "zod";
import { faultsIn, type MetaFault, readRoleSchema } from "./role-schema.ts";

/** Returns the faults in a role's meta; empty for a role that the descriptor lacks. Throws `DEFINITION_INVALID` for an
 *  invalid schema. */
export type FindMetaFaults = (role: string, meta: unknown) => MetaFault[];

/** Compiles each schema once, when its role first comes up. */
export function metaFaultsBy({ roles }: WorkflowDescriptor): FindMetaFaults {
  const schemas = new Map<string, z.ZodType>();
  return (role, meta) => {
    const described = Object.hasOwn(roles, role) ? roles[role] : undefined;
    if (described === undefined) return [];
    const schema = schemas.get(role) ?? readRoleSchema(role, described.schema);
    schemas.set(role, schema);
    const parsed = schema.safeParse(meta);
    return parsed.success ? [] : faultsIn(parsed.error);
  };
}
