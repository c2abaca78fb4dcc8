/** What starts threads by itself: schedules, triggers, deliveries of webhooks. */
import { OVERLAPS } from "@uncaged/workflow-protocol";
import { z } from "zod";
import type { SchemasOf } from "./endpoint-schemas.ts";
import { limits } from "./limits.ts";
import { count, jsonObject, none, noPath, text, unixMs, word } from "./parts.ts";

const plannedStart = z.object({
  workflow: text,
  prompt: text,
  cwd: text,
  worktree: z.object({ base: text.nullable() }).optional(),
  limits: limits.nullable(),
  title: text.nullable(),
  labels: z.record(text, text),
  priority: z.number().int(),
  pool: text.optional(),
  needs: z.array(text).optional(),
  depth: count.optional(),
});

export const SCHEDULES: SchemasOf<"listSchedules" | "listTriggers" | "deliver"> = {
  listSchedules: {
    ...noPath,
    body: null,
    response: z.object({
      schedules: z.array(
        z.object({
          name: text,
          createdAt: unixMs,
          pausedAt: unixMs.nullable(),
          nextAt: unixMs.nullable(),
          timing: z.union([
            z.object({ kind: z.literal("cron"), cron: text, zone: text }),
            z.object({ kind: z.literal("every"), everyMs: count, fromMs: unixMs }),
            z.object({ kind: z.literal("at"), atMs: unixMs }),
          ]),
          overlap: z.enum(OVERLAPS),
          catchUpMs: count.nullable(),
          jitterMs: count,
          start: plannedStart,
        }),
      ),
      hosted: z.boolean(),
    }),
  },
  listTriggers: {
    ...noPath,
    body: null,
    response: z.object({
      triggers: z.array(
        z.object({
          name: text,
          source: z.union([
            z.object({ kind: z.literal("watch"), folder: text }),
            z.object({ kind: z.literal("webhook"), filter: text.nullable() }),
          ]),
          start: plannedStart,
          createdAt: unixMs,
          pausedAt: unixMs.nullable(),
        }),
      ),
    }),
  },
  deliver: {
    path: z.strictObject({ trigger: word }),
    query: none,
    body: jsonObject,
    response: z.union([
      z.object({ kind: z.literal("started"), threadId: text }),
      z.object({ kind: z.literal("ignored") }),
    ]),
  },
};
