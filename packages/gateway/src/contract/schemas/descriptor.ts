import { AGENT_FAULTS, TOOL_KINDS, type WorkflowDescriptor } from "@uncaged/workflow-protocol";
import { checkRequirementSchema } from "@uncaged/workflow-protocol/schemas";
import { z } from "zod";
import { limits } from "./limits.ts";
import { count, fault, join, jsonObject, positive, text } from "./parts.ts";

const toolRule = z.object({
  kind: z.enum(TOOL_KINDS).optional(),
  name: text.optional(),
  input: text.optional(),
  command: z.array(text).optional(),
});

const groupMember = {
  role: text,
  prompt: text.exactOptional(),
  location: text.exactOptional(),
  agent: text.exactOptional(),
};

const ofGroup = {
  name: text,
  atOnce: positive.exactOptional(),
  join: join.exactOptional(),
  onFault: z.enum(["collect", "stop"]).exactOptional(),
  session: z.enum(["own", "role"]).exactOptional(),
};

export const descriptor: z.ZodType<WorkflowDescriptor> = z
  .object({
    description: text,
    roles: z.record(
      text,
      z.object({
        description: text,
        systemPrompt: text,
        schema: jsonObject,
        person: z.object({ assignees: z.array(text).optional() }).optional(),
        tools: z
          .object({
            allow: z.array(toolRule).optional(),
            deny: z.array(toolRule).optional(),
            ask: z.array(toolRule).optional(),
            network: z.boolean().optional(),
            askTimeoutMs: positive.optional(),
          })
          .optional(),
        requiredEvidence: z
          .array(
            z.union([
              z.object({
                name: text,
                kind: z.enum(TOOL_KINDS),
                input: text.optional(),
                command: z.array(text).optional(),
                after: z.literal("last_edit").optional(),
              }),
              checkRequirementSchema,
            ]),
          )
          .optional(),
        timeoutMs: positive.optional(),
        retry: z
          .object({
            attempts: count,
            backoffMs: count.optional(),
            maxBackoffMs: count.optional(),
            on: z.array(fault).optional(),
          })
          .optional(),
        limits: limits.optional(),
      }),
    ),
    graph: z.object({
      edges: z.array(
        z.object({
          from: text,
          to: text,
          condition: text,
          when: text.nullable(),
          prompt: text.nullable(),
          location: text.nullable(),
          outcomes: z.array(z.enum(["ok", "limit", ...AGENT_FAULTS])).exactOptional(),
          group: z
            .union([
              z.object({ ...ofGroup, ...groupMember, each: text, as: text.exactOptional() }),
              z.object({ ...ofGroup, members: z.array(z.object(groupMember)) }),
            ])
            .exactOptional(),
        }),
      ),
    }),
    limits: limits.exactOptional(),
    result: text.exactOptional(),
  })
  .meta({ id: "WorkflowDescriptor" });
