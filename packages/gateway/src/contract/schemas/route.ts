import type { StepRoute, StepView } from "@uncaged/workflow-protocol";
import { z } from "zod";
import { count, text } from "./parts.ts";

const parts = z.object({
  from: text,
  to: text,
  condition: text,
  rule: count.nullable(),
  prompt: text.nullable(),
  promptFrom: z.literal("person").exactOptional(),
  outcome: z.literal("limit").exactOptional(),
});

/** Why a step follows on another. */
export const route: z.ZodType<StepRoute> = parts;

/** The same of a step that is there: what older threads did not record is left out. */
export const stepRoute: z.ZodType<StepView["route"]> = parts
  .extend({
    to: text.exactOptional(),
    rule: count.nullable().exactOptional(),
    prompt: text.nullable().exactOptional(),
  })
  .nullable();
