/** What the schemas of several resources are made of. None of them changes a value. */
import {
  AGENT_FAULTS,
  type AgentFault,
  type GroupJoin,
  HASH_PATTERN,
  type JsonObject,
  type JsonValue,
  type StepGroup,
  THREAD_STATUSES,
  type ThreadStatus,
  type Usage,
} from "@uncaged/workflow-protocol";
import { z } from "zod";

export const json: z.ZodType<JsonValue> = z.json().meta({ id: "Json" });
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json);
export const hash: z.ZodString = z.string().regex(HASH_PATTERN);
/** A name, or a part of an id that the engine completes. */
export const word: z.ZodString = z.string().min(1).max(200);
export const text: z.ZodString = z.string();
export const unixMs: z.ZodNumber = z.number().int();
export const count: z.ZodNumber = z.number().int().nonnegative();
export const positive: z.ZodNumber = z.number().int().positive();
/** A workflow written as YAML: as long as a body may be. */
export const yaml: z.ZodString = z.string().max(1_048_576);

export const status: z.ZodType<ThreadStatus> = z.enum(THREAD_STATUSES);
export const fault: z.ZodType<AgentFault> = z.enum(AGENT_FAULTS);

export const usage: z.ZodType<Usage> = z
  .object({
    inputTokens: count,
    outputTokens: count,
    cachedInputTokens: count,
    costUsd: z.number().nullable(),
    estimated: z.literal(true).exactOptional(),
  })
  .meta({ id: "Usage" });
export const stepGroup: z.ZodType<StepGroup> = z
  .object({ name: text, entry: count, index: count, of: count })
  .meta({ id: "StepGroup" });
export const join: z.ZodType<GroupJoin> = z.union([
  z.enum(["all", "any"]),
  z.object({ atLeast: positive }),
]);
/** Who runs a thread that is made: a process of its own, or nobody yet. */
export const background: z.ZodType<"background" | "idle"> = z.enum(["background", "idle"]);

export const none: z.ZodType<Record<string, never>> = z.strictObject({});
type Nothing = typeof none;
export const noPath: { path: Nothing; query: Nothing } = { path: none, query: none };
export const byId: { path: z.ZodType<{ id: string }>; query: Nothing } = {
  path: z.strictObject({ id: word }),
  query: none,
};
