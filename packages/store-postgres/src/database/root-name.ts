import { failure, WorkflowError } from "@uncaged/workflow-protocol";

/** Small letters, digits and `_`; leaves room for the prefix in the 63 bytes of a name. */
const ROOT_NAME = /^[a-z][a-z0-9_]{0,47}$/;

/** The schema that has the tables of a root. Throws `USAGE` for a name that no root can have, so the result may be a
 *  part of a statement. */
export function schemaOf(root: string): string {
  if (ROOT_NAME.test(root)) return `uncaged_${root}`;
  throw new WorkflowError(
    failure(
      "USAGE",
      `"${root}" cannot be the name of a root in PostgreSQL`,
      "use small letters, digits and _, at most 48, and begin with a letter",
    ),
  );
}
