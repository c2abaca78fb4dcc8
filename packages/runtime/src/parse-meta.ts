import { failure, type StepRequest, WorkflowError } from "@uncaged/workflow-protocol";
import type { z } from "zod";

/** Checks an agent's result against its role's schema. Returns the schema's output without fields that are present
 *  but undefined, which JSON does not have. Throws `INVALID_OUTPUT` naming the role, the round and the first places
 *  that do not match. */
export async function parseMeta<Meta>(
  schema: z.ZodType<Meta>,
  meta: unknown,
  { role, round }: Pick<StepRequest, "role" | "round">,
): Promise<Meta> {
  const parsed = await schema.safeParseAsync(meta);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => cut(`${pathOf(path)}: ${message}`));
  throw new WorkflowError(
    failure(
      "INVALID_OUTPUT",
      `role ${role}, round ${round}: the result does not fit the role's schema: ${issues.join("; ")}`,
      "see what the agent said; make the role's prompt or its schema clearer, add the workflow again, then start a new thread",
    ),
    { cause: parsed.error },
  );
}

/** The list of mismatches may be as long as the agent's output. */
const MOST_ISSUES = 10;
const ISSUE_CHARS = 500;

function cut(text: string): string {
  return text.length <= ISSUE_CHARS ? text : `${text.slice(0, ISSUE_CHARS).toWellFormed()}…`;
}

/** `phases[0].hash`; the whole result is `meta`. */
function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : `${text}.${String(key)}`),
    "meta",
  );
}
