import { TOOL_KINDS } from "@uncaged/workflow-protocol";
import { checkEvidenceSchema } from "@uncaged/workflow-protocol/schemas";
import { z } from "zod";
import type { EvidenceRow } from "../shapes.ts";
import { hash, json, text } from "./parts.ts";

/** What the engine saw in a step. */
export const evidence: z.ZodType<EvidenceRow> = z
  .union([
    z.object({
      hash,
      kind: z.literal("call"),
      call: z.object({
        id: text,
        name: text,
        kind: z.enum(TOOL_KINDS),
        subject: text,
        input: json,
        output: text,
        ok: z.boolean(),
        exitCode: z.number().int().nullable(),
        durationMs: z.number().nullable(),
        timestamp: z.number(),
        cwd: text.optional(),
        place: z.enum(["here", "elsewhere", "unknown"]).optional(),
        subagent: text.optional(),
        refused: z.boolean().optional(),
      }),
    }),
    z.object({
      hash,
      kind: z.literal("check"),
      check: checkEvidenceSchema,
    }),
    z.object({ hash, kind: z.literal("other"), text: text.nullable() }),
  ])
  .meta({ id: "Evidence" });
