import { err, type Failure, type JsonValue, ok, type Result } from "@uncaged/workflow-protocol";
import type { z } from "zod";
import { describeIssues, readStructured } from "./read-structured.ts";

/** The value of an agent's answer, tried in a fixed order: what it submitted as structured output, the JSON in its
 *  text, YAML front matter. Fails with `INVALID_OUTPUT`, saying what does not match. */
export async function readAnswer<T>(
  answer: { structured: JsonValue | undefined; text: string },
  schema: z.ZodType<T>,
): Promise<Result<T, Failure>> {
  const { structured, text } = answer;
  if (structured === undefined) return readStructured(text, schema);
  const parsed = await schema.safeParseAsync(structured);
  if (parsed.success) return ok(parsed.data);
  const read = await readStructured(text, schema);
  // Its deliberate submission says more about what it meant than what its text lacks.
  return read.ok ? read : err({ ...read.error, message: describeIssues(parsed.error) });
}
