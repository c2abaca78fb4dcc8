import {
  AGENT_FAULTS,
  type StepOutcome,
  type StepView,
  WORKER_ENDS,
  type WorkerView,
} from "@uncaged/workflow-protocol";
import { z } from "zod";
import type { SchemasOf } from "./endpoint-schemas.ts";
import { evidence } from "./evidence.ts";
import {
  hash,
  json,
  none,
  positive,
  status,
  stepGroup,
  text,
  unixMs,
  usage,
  word,
} from "./parts.ts";
import { stepRoute } from "./route.ts";

export const outcome: z.ZodType<StepOutcome> = z.enum(["ok", ...AGENT_FAULTS]);

export const run: z.ZodType<NonNullable<StepView["run"]>> = z
  .object({
    agent: z
      .object({
        name: text,
        version: text,
        binding: text.exactOptional(),
        model: text.exactOptional(),
        path: text.exactOptional(),
        sha256: text.exactOptional(),
      })
      .exactOptional(),
    session: text.nullable().exactOptional(),
    prompt: text.nullable().exactOptional(),
    startedAt: unixMs.exactOptional(),
    completedAt: unixMs.exactOptional(),
    usage: usage.nullable().exactOptional(),
    rawUsage: json.exactOptional(),
    notes: z.array(text).exactOptional(),
    cwd: text.exactOptional(),
    evidence: z.array(text).exactOptional(),
    policy: z.literal("held").exactOptional(),
    person: z.object({ user: text.nullable(), assignees: z.array(text) }).exactOptional(),
  })
  .meta({ id: "StepRun" });

const workspace = z
  .object({
    repository: text,
    workTree: text,
    head: text.nullable(),
    branch: text.nullable(),
    before: text,
    after: text,
    objectFormat: z.enum(["sha1", "sha256"]),
  })
  .meta({ id: "StepWorkspace" });

export const worker: z.ZodType<WorkerView> = z
  .object({
    id: text,
    title: text,
    threadId: text.nullable(),
    status: z.union([status, z.enum(WORKER_ENDS)]),
    summary: text.nullable(),
    usage: usage.nullable(),
  })
  .meta({ id: "Worker" });

const step = z
  .object({
    round: positive,
    role: text,
    meta: z.record(text, z.unknown()),
    content: text,
    stateHash: hash,
    contentHash: hash,
    timestamp: unixMs,
    childThread: text.nullable(),
    outcome,
    group: stepGroup.exactOptional(),
    route: stepRoute,
    run: run.nullable(),
    workspace: workspace
      .extend({ changedOutside: z.literal(true).exactOptional() })
      .exactOptional(),
    workers: z.array(worker).exactOptional(),
  })
  .meta({ id: "Step" });

const byStep = {
  path: z.strictObject({ id: word, n: z.string().regex(/^[1-9][0-9]{0,8}$/) }),
  query: none,
};

export const STEPS: SchemasOf<"showStep" | "stepEvidence" | "stepFiles" | "stepPatch"> = {
  showStep: { ...byStep, body: null, response: z.object({ threadId: text, head: hash, step }) },
  stepEvidence: {
    ...byStep,
    body: null,
    response: z.object({ threadId: text, round: positive, evidence: z.array(evidence) }),
  },
  stepFiles: {
    ...byStep,
    body: null,
    response: z.object({
      threadId: text,
      round: positive,
      role: text,
      workspace,
      files: z.array(z.object({ path: text, change: z.enum(["added", "deleted", "modified"]) })),
    }),
  },
  stepPatch: {
    path: byStep.path,
    query: z.strictObject({ path: z.string().min(1).max(4_096) }),
    body: null,
    response: z.object({
      threadId: text,
      round: positive,
      path: text,
      patch: text.nullable(),
      isCut: z.boolean(),
    }),
  },
};
