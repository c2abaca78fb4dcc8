/** Finds the value that an agent's text was supposed to end with. The text is data: nothing in it is executed, and
 *  what does not match the schema is refused. */
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { structuredIn } from "@uncaged/workflow-util";
import type { z } from "zod";

/** Tries the JSON objects in the text, the likeliest first, then YAML front matter. The first match with the schema
 *  counts. Fails with `INVALID_OUTPUT`, which says what the likeliest lacks. */
export async function readStructured<T>(
  text: string,
  schema: z.ZodType<T>,
): Promise<Result<T, Failure>> {
  let nearest: string | null = null;
  for await (const candidate of structuredIn(text)) {
    const parsed = await schema.safeParseAsync(candidate);
    if (parsed.success) return ok(parsed.data);
    nearest ??= describeIssues(parsed.error);
  }
  const why = nearest ?? "it contains no JSON object and no YAML front matter";
  return err(failure("INVALID_OUTPUT", why, "end the output with one JSON object"));
}

/** What does not match, by its place: `status: Invalid option; phases.0.hash: …`. */
export function describeIssues(error: { issues: readonly z.core.$ZodIssue[] }): string {
  return error.issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => {
      const why = shortened(message);
      return path.length === 0 ? why : `${shortened(path.map(String).join("."))}: ${why}`;
    })
    .join("; ");
}

const MOST_ISSUES = 10;
/** Limit for each issue: it may name a thousand keys that an agent made up, and goes into a prompt. */
const ISSUE_CHARS = 500;

function shortened(text: string): string {
  return text.length <= ISSUE_CHARS ? text : `${text.slice(0, ISSUE_CHARS).toWellFormed()}…`;
}
