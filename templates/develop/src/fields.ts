/** Field types that several roles of this template share. */
import { z } from "zod";

/** Text that says something; a pattern, because structured-output modes of agents know no minimum length. */
export const text: z.ZodString = z.string().regex(/\S/, "must not be blank");

/** Hash of a blob in the content-addressed store, as `uncaged-workflow cas put` prints it. */
export const blobHash: z.ZodString = z
  .string()
  .regex(
    /^[0-9A-F][0-9A-HJKMNP-TV-Z]{12}$/,
    "must be a hash that `uncaged-workflow cas put` printed",
  );
