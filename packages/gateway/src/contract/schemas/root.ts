/** What a client is, whom it can run, and what that has cost. */
import { SPENT_BY } from "@uncaged/workflow-protocol";
import { z } from "zod";
import { usable } from "./access.ts";
import type { SchemasOf } from "./endpoint-schemas.ts";
import { count, none, noPath, text, unixMs, usage } from "./parts.ts";

export const ROOT: SchemasOf<"about" | "listAgents" | "costs"> = {
  about: {
    ...noPath,
    body: null,
    response: z.object({
      version: text,
      cwd: text,
      user: text,
      allow: z.array(usable),
      nowMs: unixMs,
    }),
  },
  listAgents: {
    ...noPath,
    body: null,
    response: z.object({
      agents: z.array(z.object({ name: text })),
      defaultAgent: text.nullable(),
    }),
  },
  costs: {
    path: none,
    query: z.strictObject({
      by: z.enum(SPENT_BY).exactOptional(),
      since: z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}$/)
        .exactOptional(),
    }),
    body: null,
    response: z.object({
      by: z.enum(SPENT_BY),
      since: text.nullable(),
      runs: count,
      total: usage.nullable(),
      costs: z.array(z.object({ key: text.nullable(), runs: count, usage })),
    }),
  },
};
