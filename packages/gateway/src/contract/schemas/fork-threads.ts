import { z } from "zod";
import type { SchemasOf } from "./endpoint-schemas.ts";
import { threadLimits } from "./limits.ts";
import { background, byId, count, hash, text, word } from "./parts.ts";

const threadRef = z.object({ threadId: text, stateHash: hash });

const forkPoint = z.union([z.strictObject({ step: count }), z.strictObject({ role: word })]);

export const FORK_THREADS: SchemasOf<"forkThread" | "raceThread"> = {
  forkThread: {
    ...byId,
    body: z.strictObject({
      from: forkPoint.exactOptional(),
      prompt: z.string().min(1).exactOptional(),
      agent: word.exactOptional(),
      bundle: word.exactOptional(),
      limits: threadLimits.exactOptional(),
      files: z.boolean().exactOptional(),
      run: background.exactOptional(),
    }),
    response: z.object({ threadId: text, head: hash, forkedFrom: threadRef }),
  },
  raceThread: {
    ...byId,
    body: z.strictObject({
      from: forkPoint.exactOptional(),
      agents: z
        .array(word)
        .min(2)
        .max(50)
        .refine((names) => new Set(names).size === names.length, "each agent once"),
      limits: threadLimits.exactOptional(),
      files: z.boolean().exactOptional(),
    }),
    response: z.object({
      forkedFrom: threadRef,
      contenders: z.array(z.object({ agent: text, threadId: text })),
    }),
  },
};
