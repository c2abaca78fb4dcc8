import { z } from "zod";
import type { ThreadStanding } from "../shapes.ts";
import type { SchemasOf } from "./endpoint-schemas.ts";
import { threadLimits } from "./limits.ts";
import {
  byId,
  count,
  hash,
  jsonObject,
  none,
  noPath,
  status,
  text,
  unixMs,
  word,
} from "./parts.ts";

const standing: z.ZodType<ThreadStanding> = z
  .object({
    threadId: text,
    workflow: text,
    bundleHash: text,
    status,
    stale: z.boolean(),
    pausing: z.boolean(),
    head: hash,
    stepCount: count,
    updatedAt: unixMs,
  })
  .meta({ id: "ThreadStanding" });

const poked = z.object({
  threadId: text,
  head: hash.nullable(),
  previousHead: hash,
  status,
});

export const STEER_THREADS: SchemasOf<
  | "pauseThread"
  | "resumeThread"
  | "stopThread"
  | "killThread"
  | "raiseLimits"
  | "pokeThread"
  | "undoPoke"
  | "answerThread"
  | "steerThreads"
  | "checkDraft"
> = {
  pauseThread: { ...byId, body: none, response: standing },
  resumeThread: {
    ...byId,
    body: z.strictObject({ answer: text.exactOptional() }),
    response: standing,
  },
  stopThread: { ...byId, body: none, response: standing },
  killThread: { ...byId, body: none, response: standing },
  raiseLimits: { ...byId, body: z.strictObject({ limits: threadLimits }), response: standing },
  pokeThread: {
    ...byId,
    body: z.strictObject({ prompt: z.string().min(1), agent: word.exactOptional() }),
    response: poked,
  },
  undoPoke: { ...byId, body: none, response: poked },
  answerThread: {
    ...byId,
    body: z.strictObject({ meta: jsonObject, member: count.exactOptional() }),
    response: standing,
  },
  steerThreads: {
    ...noPath,
    body: z.strictObject({
      verb: z.enum(["pause", "resume", "stop", "kill"]),
      threadIds: z.array(word).min(1).max(200),
    }),
    response: z.object({
      threads: z.array(
        z.union([
          standing,
          z.object({
            threadId: text,
            error: z.object({ code: text, message: text, hint: text }),
          }),
        ]),
      ),
    }),
  },
  checkDraft: { ...byId, body: none, response: standing },
};
