import { TOOL_KINDS } from "@uncaged/workflow-protocol";
import { z } from "zod";
import type { EvidenceRow } from "../shapes.ts";
import { hash, json, text } from "./parts.ts";

const checkRun = z.object({
  tree: text,
  exitCode: z.number().int().nullable(),
  timedOut: z.boolean(),
  durationMs: z.number(),
  output: text,
  changed: z.array(text),
});

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
      check: z.object({
        check: z.literal(1),
        tree: text,
        base: text,
        command: z.array(text),
        environment: text,
        isolation: z.object({
          by: z.enum(["bubblewrap", "unshare", "none"]),
          network: z.enum(["off", "allowed", "open"]),
        }),
        controls: z.array(text),
        clean: checkRun,
        controlled: checkRun.nullable(),
        canary: checkRun.nullable(),
        verdict: z.enum(["passed", "unapproved", "failed"]),
        faults: z.array(
          z.object({
            kind: z.enum([
              "command_failed",
              "controls_changed",
              "nothing_tested",
              "files_changed",
              "link_outside",
            ]),
            message: text,
          }),
        ),
      }),
    }),
    z.object({ hash, kind: z.literal("other"), text: text.nullable() }),
  ])
  .meta({ id: "Evidence" });
