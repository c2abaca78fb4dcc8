/** What a thread waits for: a person, more of a limit, or room. */
import type { LimitKey, QueuePlace, Wait } from "@uncaged/workflow-protocol";
import { z } from "zod";
import { count, join, jsonObject, text, unixMs } from "./parts.ts";
import { route } from "./route.ts";

const reachedLimit = z.object({
  role: text.nullable(),
  bound: z.enum(["steps", "tokens", "costUsd", "timeMs"]),
  limit: z.number(),
  used: z.number(),
});
export const wait: z.ZodType<Wait> = z
  .union([
    z.object({
      kind: z.literal("person"),
      role: text,
      message: text,
      form: jsonObject,
      route: route.nullable(),
      since: unixMs,
      deadline: unixMs.nullable(),
      assignees: z.array(text),
      member: count.exactOptional(),
      group: z.object({ name: text, entry: count, of: count, join }).exactOptional(),
      permission: z.literal(true).exactOptional(),
    }),
    z.object({
      role: text,
      message: text,
      kind: z.literal("limit").exactOptional(),
      limit: reachedLimit.exactOptional(),
    }),
  ])
  .meta({ id: "Wait" });

const limitKey: z.ZodType<LimitKey> = z.union([
  z.enum(["threads", "budget", "paused", "worker"]),
  z.templateLiteral(["workflow:", z.string()]),
  z.templateLiteral(["agent:", z.string()]),
  z.templateLiteral(["provider:", z.string()]),
  z.templateLiteral(["pool:", z.string()]),
  z.templateLiteral(["label:", z.string()]),
]);
export const queuePlace: z.ZodType<QueuePlace> = z
  .object({ since: unixMs, for: z.array(limitKey), notBefore: unixMs.nullable() })
  .meta({ id: "QueuePlace" });
