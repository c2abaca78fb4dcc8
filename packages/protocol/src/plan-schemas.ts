/** Zod schemas for what an index keeps of schedules and triggers, which another program may have written. A separate
 *  entry point, as `schemas` is. */
import { z } from "zod";
import { MAX_UNIX_MS } from "./constants.ts";
import { OVERLAPS, type PlannedStart, type SchedulePlan } from "./schedule.ts";
import { threadLimitsSchema } from "./schemas.ts";
import type { TriggerPlan } from "./trigger.ts";

const unixMs = z.number().int().nonnegative().max(MAX_UNIX_MS);
const ms = z.number().int().nonnegative();

const plannedStart: z.ZodType<PlannedStart> = z.object({
  workflow: z.string(),
  prompt: z.string(),
  cwd: z.string(),
  worktree: z.object({ base: z.string().nullable() }).optional(),
  limits: threadLimitsSchema.nullable(),
  title: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
  priority: z.number().int(),
  pool: z.string().optional(),
  needs: z.array(z.string()).optional(),
  depth: z.number().int().nonnegative().optional(),
});

export const schedulePlanSchema: z.ZodType<SchedulePlan> = z.object({
  timing: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("cron"), cron: z.string(), zone: z.string() }),
    z.object({ kind: z.literal("every"), everyMs: ms.positive(), fromMs: unixMs }),
    z.object({ kind: z.literal("at"), atMs: unixMs }),
  ]),
  overlap: z.enum(OVERLAPS),
  catchUpMs: ms.nullable(),
  jitterMs: ms,
  start: plannedStart,
});

export const triggerPlanSchema: z.ZodType<TriggerPlan> = z.object({
  source: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("watch"), folder: z.string() }),
    z.object({
      kind: z.literal("webhook"),
      secret: z.string().min(1),
      filter: z.string().nullable(),
    }),
  ]),
  start: plannedStart,
});
