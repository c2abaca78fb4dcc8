import type { JsonObject } from "@uncaged/workflow-protocol";
import { z } from "zod";

/** What scribe says. */
export type ScribeEvent = z.infer<typeof EVENT>;

const EVENT = z.discriminatedUnion("type", [
  z.object({ type: z.literal("session"), id: z.string() }),
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("tool"),
    id: z.string(),
    name: z.string(),
    command: z.string(),
    output: z.string(),
    exitCode: z.number(),
  }),
  z.object({ type: z.literal("usage"), inputTokens: z.number(), outputTokens: z.number() }),
]);

/** Null for an event that is not known: a newer scribe may say more. */
export function scribeEvent(object: JsonObject): ScribeEvent | null {
  const parsed = EVENT.safeParse(object);
  return parsed.success ? parsed.data : null;
}
