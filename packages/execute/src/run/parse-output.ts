import { err, type Failure, failure, type Result } from "@uncaged/workflow-protocol";
import { type ParsedRoleOutput, roleOutputSchema } from "@uncaged/workflow-protocol/schemas";
import { parseWith } from "../storage/parse-with.ts";

/** What a bundle yields is untrusted: none of it is used before it was parsed here. `roles` are those that agents play:
 *  no bundle answers for a person. */
export function parseOutput(
  raw: unknown,
  roles: ReadonlySet<string>,
): Result<ParsedRoleOutput, Failure> {
  const what = "the workflow yielded an output the engine cannot store";
  const parsed = parseWith(roleOutputSchema, raw, "INVALID_OUTPUT", what);
  if (!parsed.ok || roles.has(parsed.value.role)) return parsed;
  return err(
    failure(
      "INVALID_OUTPUT",
      `the workflow yielded an output of role ${JSON.stringify(parsed.value.role)}, which in its descriptor is not an agent's role`,
      `roles of agents: ${[...roles].join(", ")}`,
    ),
  );
}
