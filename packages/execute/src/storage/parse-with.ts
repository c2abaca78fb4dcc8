import {
  type ErrorCode,
  err,
  type Failure,
  failure,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { z } from "zod";

/** Parses untrusted data; the failure names every place that does not fit. */
export function parseWith<T>(
  schema: z.ZodType<T>,
  data: unknown,
  code: ErrorCode,
  what: string,
): Result<T, Failure> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return ok(parsed.data);
  return err(failure(code, `${what}: ${z.prettifyError(parsed.error).replaceAll("\n", " ")}`, ""));
}
