/** Field types that several roles of this template share. */
import { z } from "zod";

/** Text that says something; a pattern, because structured-output modes of agents know no minimum length. */
export const text: z.ZodString = z.string().regex(/\S/, "must not be blank");

/** `blocking`: must change before the change is kept. `minor`: worth knowing. */
export const severity: z.ZodEnum<{ blocking: "blocking"; minor: "minor" }> = z.enum([
  "blocking",
  "minor",
]);
