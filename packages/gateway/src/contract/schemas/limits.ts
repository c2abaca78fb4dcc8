import { type Limits, ROLE_NAME_PATTERN, type ThreadLimits } from "@uncaged/workflow-protocol";
import { z } from "zod";
import { positive } from "./parts.ts";

const parts = z.strictObject({
  steps: positive.exactOptional(),
  tokens: positive.exactOptional(),
  costUsd: z.number().positive().exactOptional(),
  timeMs: positive.exactOptional(),
});

export const limits: z.ZodType<Limits> = parts;

export const threadLimits: z.ZodType<ThreadLimits> = parts
  .extend({ roles: z.record(z.string().regex(ROLE_NAME_PATTERN), limits).exactOptional() })
  .meta({ id: "ThreadLimits" });
