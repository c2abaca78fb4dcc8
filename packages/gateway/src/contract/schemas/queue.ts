import { z } from "zod";
import type { SchemasOf } from "./endpoint-schemas.ts";
import { none, noPath, positive, text, unixMs, word } from "./parts.ts";
import { queuedRow } from "./thread-row.ts";

const queueGate = z.object({ pausedSince: unixMs.nullable() });

export const QUEUE: SchemasOf<
  "queue" | "pauseQueue" | "resumeQueue" | "listWorkers" | "drainWorker"
> = {
  queue: {
    ...noPath,
    body: null,
    response: z.object({
      threads: z.array(queuedRow),
      pausedSince: unixMs.nullable(),
      holds: z.array(
        z.object({
          key: z.union([
            z.templateLiteral(["agent:", z.string()]),
            z.templateLiteral(["provider:", z.string()]),
          ]),
          agents: z.array(text),
          untilMs: unixMs,
        }),
      ),
    }),
  },
  pauseQueue: { ...noPath, body: none, response: queueGate },
  resumeQueue: { ...noPath, body: none, response: queueGate },
  listWorkers: {
    ...noPath,
    body: null,
    response: z.object({
      workers: z.array(
        z.object({
          worker: text,
          host: text,
          pools: z.array(text),
          labels: z.array(text),
          atOnce: positive.nullable(),
          version: text,
          startedAt: unixMs,
          seenAt: unixMs,
          drainingAt: unixMs.nullable(),
          stale: z.boolean(),
          threads: z.array(text),
        }),
      ),
    }),
  },
  drainWorker: {
    path: z.strictObject({ worker: word }),
    query: none,
    body: none,
    response: z.object({ worker: text, ended: z.boolean() }),
  },
};
