import { z } from "zod";
import type { FailureBody } from "../shapes.ts";
import { text } from "./parts.ts";

/** Any answer with a status of 400 or more. */
export const failureSchema: z.ZodType<FailureBody> = z
  .object({ error: z.object({ code: text, message: text, hint: text }) })
  .meta({ id: "Failure" });
