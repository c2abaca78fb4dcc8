import type { ThreadActivity } from "@uncaged/workflow-protocol";
import { z } from "zod";
import type { QueuedRow, ThreadRow } from "../shapes.ts";
import { count, hash, json, status, text, unixMs, usage } from "./parts.ts";
import { queuePlace, wait } from "./wait.ts";

const oneActivity = z.object({
  type: z.enum(["tool_start", "text", "result", "error"]),
  role: text,
  round: count,
  tool: text.nullable(),
  text,
  timestamp: unixMs,
});

export const activity: z.ZodType<ThreadActivity> = z
  .object({
    role: text,
    round: count,
    agent: text.nullable(),
    since: unixMs,
    current: oneActivity.nullable(),
    recent: z.array(oneActivity),
  })
  .meta({ id: "ThreadActivity" });

const row = z
  .object({
    threadId: text,
    title: text.nullable(),
    labels: z.record(text, text),
    workflow: text,
    bundleHash: text,
    status,
    stale: z.boolean(),
    head: hash,
    stepCount: count,
    usage: usage.nullable(),
    suspended: wait.nullable(),
    waits: z.array(wait),
    queue: queuePlace.nullable(),
    priority: z.number().int(),
    pool: text,
    needs: z.array(text),
    updatedAt: unixMs,
    startedAt: unixMs,
    createdAt: unixMs,
    returnCode: z.number().int().nullable(),
    parentThread: text.nullable(),
    depth: count,
    result: json.exactOptional(),
    activity: activity.nullable(),
    nextRole: text.nullable().exactOptional(),
  })
  .meta({ id: "ThreadRow" });

/** A thread in a list. */
export const threadRow: z.ZodType<ThreadRow> = row;

/** A thread that waits for room. */
export const queuedRow: z.ZodType<QueuedRow> = row
  .omit({ activity: true, nextRole: true })
  .meta({ id: "QueuedRow" });
