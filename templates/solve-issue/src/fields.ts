/** Field types that several roles of this template share. */
import { z } from "zod";

/** Text that says something; a pattern, because structured-output modes of agents know no minimum length. */
export const text: z.ZodString = z.string().regex(/\S/, "must not be blank");

/** A branch name that no command line can take for an option; git checks the rest. */
export const branchName: z.ZodString = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._/-]*$/, "must be a plain branch name");
