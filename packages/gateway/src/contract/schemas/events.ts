import { AGENT_OUTCOMES } from "@uncaged/workflow-protocol";
import { z } from "zod";
import type { ServerEvent } from "../shapes.ts";
import type { SchemasOf } from "./endpoint-schemas.ts";
import {
  count,
  hash,
  json,
  none,
  positive,
  status,
  stepGroup,
  text,
  unixMs,
  usage,
} from "./parts.ts";
import { threadRow } from "./thread-row.ts";

const liveOf = { seq: positive, threadId: text, timestamp: unixMs };

const liveStep = { ...liveOf, role: text, round: positive, group: stepGroup.exactOptional() };

const agentEvent = z.union([
  z.object({ type: z.literal("text"), text }),
  z.object({
    type: z.literal("tool"),
    phase: z.literal("start"),
    id: text,
    name: text,
    input: json,
  }),
  z.object({
    type: z.literal("tool"),
    phase: z.literal("end"),
    id: text,
    name: text,
    ok: z.boolean(),
  }),
  z.object({ type: z.literal("started"), agent: text, session: text.nullable() }),
  z.object({ type: z.literal("permission"), tool: text, allowed: z.boolean(), reason: text }),
  z.object({ type: z.literal("usage"), usage }),
  z.object({
    type: z.literal("retry"),
    reason: text,
    delayMs: z.number(),
    retryAfterMs: z.number().optional(),
  }),
  z.object({ type: z.literal("end"), outcome: z.enum(AGENT_OUTCOMES), reason: text }),
]);

/** What the data of a server-sent event is. */
export const serverEventSchema: z.ZodType<ServerEvent> = z
  .union([
    z.object({ type: z.literal("ready") }),
    z.object({ type: z.literal("reset"), topic: text }),
    z.object({ type: z.literal("thread"), topic: text, thread: threadRow }),
    z.object({ type: z.literal("removed"), topic: text, threadId: text }),
    z.object({ type: z.literal("inbox"), topic: text, waiting: count }),
    z.object({
      type: z.literal("live"),
      topic: text,
      item: z.union([
        z.object({ ...liveStep, type: z.literal("agent"), event: agentEvent }),
        z.object({
          ...liveStep,
          type: z.literal("step_started"),
          condition: text.nullable(),
          said: text.nullable(),
        }),
        z.object({
          ...liveStep,
          type: z.literal("step_completed"),
          stateHash: hash,
          meta: z.record(text, z.unknown()),
        }),
        z.object({
          ...liveOf,
          type: z.literal("asked"),
          role: text,
          group: stepGroup.exactOptional(),
          message: text,
        }),
        z.object({
          ...liveOf,
          type: z.literal("note"),
          about: z.enum(["supervisor", "summarizer"]),
          message: text,
          usage: usage.nullable(),
        }),
        z.object({ ...liveOf, type: z.literal("status"), status, summary: text.nullable() }),
      ]),
    }),
  ])
  .meta({ id: "ServerEvent" });

export const EVENTS: SchemasOf<"events"> = {
  events: {
    path: none,
    query: z.strictObject({ topics: z.string().min(1).max(4_000) }),
    body: null,
    response: text,
  },
};
