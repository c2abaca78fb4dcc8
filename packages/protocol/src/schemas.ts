/** Zod schemas for everything that crosses the border between a bundle and the engine. A separate entry point:
 *  commands that touch no bundle must not pay for loading zod. */
import { z } from "zod";
import { AGENT_FAULTS } from "./agent-error.ts";
import { AGENT_OUTCOMES, type AgentEvent } from "./agent-event.ts";
import { CANARY_PRESETS, type CheckEvidence } from "./check.ts";
import { MAX_UNIX_MS, START } from "./constants.ts";
import { type CoordinationNote, WORKER_ENDS } from "./coordination.ts";
import type { WorkflowDescriptor } from "./descriptor.ts";
import type { CheckRequirement, ToolCallRecord } from "./evidence.ts";
import type { Group, StepGroup } from "./group.ts";
import { HASH_PATTERN, ROLE_NAME_PATTERN, THREAD_ID_PATTERN } from "./identifiers.ts";
import { type JsonObject, type JsonValue, toJsonObject } from "./json.ts";
import type { ReachedLimit, ThreadLimits } from "./limits.ts";
import type { LiveRecord } from "./live-log.ts";
import type { StepRoute, StepRun, Usage } from "./step-run.ts";
import { THREAD_STATUSES } from "./thread-status.ts";
import { TOOL_KINDS } from "./tool-policy.ts";
import type { PersonWait, RoleWait, Wait } from "./wait.ts";
import type { RoleGroup, RoleOutput, Suspension, WorkflowCompletion } from "./workflow-runtime.ts";
import { MEMBER_WORKSPACES, WORKSPACE_MODES } from "./workspace-mode.ts";

const jsonObject: z.ZodType<JsonObject> = z.unknown().transform((value, ctx) => {
  const object = toJsonObject(value);
  if (object !== null) return object;
  ctx.addIssue({ code: "custom", message: "must be a plain JSON object" });
  return z.NEVER;
});
const jsonValue: z.ZodType<JsonValue> = z.unknown().transform((value, ctx) => {
  const wrapped = toJsonObject({ value });
  if (wrapped?.value !== undefined) return wrapped.value;
  ctx.addIssue({ code: "custom", message: "must be plain JSON" });
  return z.NEVER;
});
const hash = z.string().regex(HASH_PATTERN, "must be a hash: 13 characters of Crockford base32");
const unixMs = z.number().int().nonnegative().max(MAX_UNIX_MS);
const tokens = z.number().int().nonnegative();

const fault = z.enum(AGENT_FAULTS);
const count = z.number().int().positive();
const limits = z.strictObject({
  steps: count.exactOptional(),
  tokens: count.exactOptional(),
  costUsd: z.number().positive().exactOptional(),
  timeMs: count.exactOptional(),
});
const route: z.ZodType<StepRoute> = z.object({
  from: z.string(),
  to: z.string(),
  condition: z.string(),
  rule: z.number().int().nonnegative().nullable(),
  prompt: z.string().nullable(),
  promptFrom: z.literal("person").exactOptional(),
  outcome: z.literal("limit").exactOptional(),
});

const usage: z.ZodType<Usage> = z.object({
  inputTokens: tokens,
  outputTokens: tokens,
  cachedInputTokens: tokens,
  costUsd: z.number().nonnegative().nullable(),
  estimated: z.literal(true).exactOptional(),
});

export const stepRunSchema: z.ZodType<StepRun> = z.object({
  agent: z.object({
    name: z.string(),
    version: z.string(),
    binding: z.string().exactOptional(),
    model: z.string().exactOptional(),
    path: z.string().exactOptional(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .exactOptional(),
  }),
  session: z.string().nullable(),
  prompt: hash.nullable(),
  startedAt: unixMs,
  completedAt: unixMs,
  usage: usage.nullable(),
  rawUsage: z.exactOptional(jsonValue),
  notes: z.array(z.string()).exactOptional(),
  cwd: z.string(),
  evidence: z.array(hash),
  policy: z.literal("held").exactOptional(),
  isolation: z.enum(["bubblewrap", "unshare"]).exactOptional(),
});

const checkRun = z.object({
  tree: z.string(),
  exitCode: z.number().int().nullable(),
  timedOut: z.boolean(),
  durationMs: z.number().nonnegative(),
  output: z.string(),
  changed: z.array(z.string()),
});

/** What the engine saw of a check, as stored in the text of an evidence blob. */
export const checkEvidenceSchema: z.ZodType<CheckEvidence> = z.object({
  check: z.literal(1),
  tree: z.string(),
  base: z.string(),
  command: z.array(z.string()),
  environment: z.string(),
  isolation: z.object({
    by: z.enum(["bubblewrap", "unshare", "none"]),
    network: z.enum(["off", "allowed", "open"]),
  }),
  controls: z.array(z.string()),
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
      message: z.string(),
    }),
  ),
});

/** One tool call as stored in the text of an evidence blob. */
export const toolCallRecordSchema: z.ZodType<ToolCallRecord> = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(TOOL_KINDS),
  subject: z.string(),
  input: jsonValue,
  output: z.string(),
  ok: z.boolean(),
  exitCode: z.number().int().nullable(),
  durationMs: z.number().nullable(),
  timestamp: z.number(),
  cwd: z.string().optional(),
  place: z.enum(["here", "elsewhere", "unknown"]).optional(),
  subagent: z.string().optional(),
  refused: z.boolean().optional(),
});

export const threadLimitsSchema: z.ZodType<ThreadLimits> = limits.extend({
  roles: z.record(z.string().regex(ROLE_NAME_PATTERN), limits).exactOptional(),
});

const reachedLimitSchema: z.ZodType<ReachedLimit> = z.strictObject({
  role: z.string().regex(ROLE_NAME_PATTERN).nullable(),
  bound: z.enum(["steps", "tokens", "costUsd", "timeMs"]),
  limit: z.number().positive(),
  used: z.number().nonnegative(),
});

const roleWaitSchema: z.ZodType<RoleWait> = z.object({
  role: z.string(),
  message: z.string(),
  kind: z.enum(["limit", "coordinator"]).exactOptional(),
  limit: reachedLimitSchema.exactOptional(),
});

/** Why a workflow stops for now: for an answer, because of a limit, or for a person. */
const suspensionSchema: z.ZodType<Suspension> = z.union([
  z.object({ kind: z.literal("person"), role: z.string(), message: z.string() }),
  roleWaitSchema,
]);

const personWaitSchema: z.ZodType<PersonWait> = z.object({
  kind: z.literal("person"),
  role: z.string().regex(ROLE_NAME_PATTERN),
  message: z.string(),
  form: jsonObject,
  route: route.nullable(),
  since: unixMs,
  deadline: unixMs.nullable(),
  assignees: z.array(z.string()),
  member: z.number().int().nonnegative().exactOptional(),
  group: z
    .object({
      name: z.string().regex(ROLE_NAME_PATTERN),
      entry: z.number().int().nonnegative(),
      of: z.number().int().positive(),
      join: z.union([z.enum(["all", "any"]), z.object({ atLeast: z.number().int().positive() })]),
    })
    .exactOptional(),
});

/** What a thread waits for, as another storage root wrote it down. */
export const waitSchema: z.ZodType<Wait> = z.union([personWaitSchema, roleWaitSchema]);

/** A role's output after parsing: its meta is known to be JSON. */
export type ParsedRoleOutput = RoleOutput & { meta: JsonObject };

export const roleOutputSchema: z.ZodType<ParsedRoleOutput> = z.object({
  role: z.string().regex(ROLE_NAME_PATTERN),
  meta: jsonObject,
  content: z.string().optional(),
  refs: z.array(hash).optional(),
  childThread: z.string().regex(THREAD_ID_PATTERN).nullable().optional(),
  route: route.nullable().optional(),
  run: stepRunSchema.nullable().optional(),
  outcome: fault.optional(),
});

export const workflowCompletionSchema: z.ZodType<WorkflowCompletion> = z.union([
  z.object({
    suspend: suspensionSchema,
    route: route.nullable().optional(),
  }),
  z.object({
    returnCode: z.number().int().min(0).max(255),
    summary: z.string(),
    route: route.nullable().optional(),
  }),
]);

const toolKind = z.enum(TOOL_KINDS);
const command = z.array(z.string()).min(1);
const toolRules = z
  .array(
    z.strictObject({
      kind: toolKind.optional(),
      name: z.string().min(1).optional(),
      input: z.string().optional(),
      command: command.optional(),
    }),
  )
  .optional();
const toolPolicy = z.strictObject({
  allow: toolRules,
  deny: toolRules,
  ask: toolRules,
  network: z.boolean().optional(),
  askTimeoutMs: z.number().int().positive().optional(),
});
const evidenceRequirement = z.strictObject({
  name: z.string().min(1),
  kind: toolKind,
  input: z.string().optional(),
  command: command.optional(),
  after: z.literal("last_edit").optional(),
});

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const texts = z.array(z.string().min(1));
/** A check that a role requires, as an author writes it. */
export const checkRequirementSchema: z.ZodType<CheckRequirement> = z.strictObject({
  check: z.strictObject({
    command: texts.min(1),
    timeoutMs: count.optional(),
    setup: texts.min(1).optional(),
    protect: texts.optional(),
    canary: z
      .union([
        z.enum([...CANARY_PRESETS, "none"]),
        z.strictObject({ path: z.string().min(1), content: z.string() }),
      ])
      .optional(),
    network: z.boolean().optional(),
    variables: z.record(z.string().regex(VARIABLE), z.string()).optional(),
    writes: texts.optional(),
    approver: texts.min(1).optional(),
  }),
});

const retryPolicy = z.strictObject({
  attempts: z.number().int().nonnegative(),
  backoffMs: z.number().int().nonnegative().optional(),
  maxBackoffMs: z.number().int().nonnegative().optional(),
  on: z.array(fault).optional(),
});

const coordinates = z.strictObject({
  workflows: texts.min(1),
  agents: texts.min(1).optional(),
  atOnce: count.optional(),
  max: count.optional(),
  budgetShare: z.number().positive().max(1).optional(),
  timeoutMs: count.optional(),
});

const worker = z.string().regex(/^w[1-9]\d{0,5}$/);
const workerLimits = z.object({
  tokens: count.exactOptional(),
  costUsd: z.number().positive().exactOptional(),
});
/** The meta of a coordination node, which may have come from elsewhere. */
export const coordinationNoteSchema: z.ZodType<CoordinationNote> = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("spawn"),
    worker,
    title: z.string(),
    workflow: z.string(),
    agent: z.string().nullable(),
    limits: workerLimits,
  }),
  z.object({
    kind: z.literal("message"),
    worker,
    steps: z.number().int().nonnegative(),
  }),
  z.object({ kind: z.literal("stop"), worker }),
  z.object({
    kind: z.literal("ended"),
    worker,
    turn: count,
    status: z.enum(WORKER_ENDS),
    summary: z.string(),
    usage: usage.nullable(),
  }),
  z.object({ kind: z.literal("delivered"), notices: z.array(z.string()) }),
  z.object({
    kind: z.literal("turn"),
    agent: z.string(),
    session: z.string(),
    rawUsage: jsonValue.nullable(),
  }),
]);

const roleName = z
  .string()
  .regex(ROLE_NAME_PATTERN, "role names: a letter, then letters, digits, _ or -");

const member = {
  role: roleName,
  prompt: z.string().exactOptional(),
  location: z.string().exactOptional(),
  agent: z.string().min(1).exactOptional(),
  workspace: z.enum(MEMBER_WORKSPACES).exactOptional(),
};
const ofGroup = {
  name: roleName,
  atOnce: count.exactOptional(),
  join: z.union([z.enum(["all", "any"]), z.strictObject({ atLeast: count })]).exactOptional(),
  onFault: z.enum(["collect", "stop"]).exactOptional(),
  session: z.enum(["own", "role"]).exactOptional(),
};
const group: z.ZodType<Group> = z.union([
  z.strictObject({
    ...ofGroup,
    ...member,
    each: z.string(),
    as: z.string().min(1).exactOptional(),
  }),
  z.strictObject({ ...ofGroup, members: z.array(z.strictObject(member)).min(1) }),
]);
/** A group that a workflow yields; its members are functions, whose outputs are parsed one by one. */
export const groupFrameSchema: z.ZodType<Omit<RoleGroup, "members" | "watch">> = z.object({
  name: roleName,
  atOnce: count.exactOptional(),
  join: ofGroup.join,
  onFault: ofGroup.onFault,
});

export const workflowDescriptorSchema: z.ZodType<WorkflowDescriptor> = z.strictObject({
  description: z.string(),
  roles: z.record(
    roleName,
    z.strictObject({
      description: z.string(),
      systemPrompt: z.string(),
      schema: jsonObject,
      person: z.strictObject({ assignees: z.array(z.string().min(1)).optional() }).optional(),
      tools: toolPolicy.optional(),
      requiredEvidence: z.array(z.union([evidenceRequirement, checkRequirementSchema])).optional(),
      timeoutMs: count.optional(),
      retry: retryPolicy.optional(),
      limits: limits.optional(),
      coordinates: coordinates.optional(),
    }),
  ),
  graph: z.strictObject({
    edges: z.array(
      z.strictObject({
        from: z.union([z.literal(START), roleName]),
        to: z.string(),
        condition: z.string().min(1),
        when: z.string().nullable(),
        prompt: z.string().nullable(),
        location: z.string().nullable(),
        outcomes: z.array(z.enum(["ok", "limit", ...AGENT_FAULTS])).exactOptional(),
        group: group.exactOptional(),
      }),
    ),
  }),
  limits: limits.exactOptional(),
  result: z.string().exactOptional(),
  workspace: z.enum(WORKSPACE_MODES).exactOptional(),
});

const toolStart = z.object({
  type: z.literal("tool"),
  phase: z.literal("start"),
  id: z.string(),
  name: z.string(),
  input: jsonValue,
});
const toolEnd = z.object({
  type: z.literal("tool"),
  phase: z.literal("end"),
  id: z.string(),
  name: z.string(),
  ok: z.boolean(),
});

/** What an adapter emits; some adapters are code in a bundle. */
export const agentEventSchema: z.ZodType<AgentEvent> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.discriminatedUnion("phase", [toolStart, toolEnd]),
  z.object({ type: z.literal("started"), agent: z.string(), session: z.string().nullable() }),
  z.object({
    type: z.literal("permission"),
    tool: z.string(),
    allowed: z.boolean(),
    reason: z.string(),
  }),
  z.object({ type: z.literal("usage"), usage }),
  z.object({
    type: z.literal("retry"),
    reason: z.string(),
    delayMs: z.number().nonnegative(),
    retryAfterMs: z.number().nonnegative().optional(),
  }),
  z.object({ type: z.literal("end"), outcome: z.enum(AGENT_OUTCOMES), reason: z.string() }),
]);

const liveBase = { seq: count, threadId: z.string().regex(THREAD_ID_PATTERN), timestamp: unixMs };
const groupPlace = z.number().int().nonnegative();
const stepGroup: z.ZodType<StepGroup> = z.object({
  name: z.string(),
  entry: groupPlace,
  index: groupPlace,
  of: groupPlace,
});
const liveStep = {
  ...liveBase,
  role: z.string(),
  round: count,
  group: stepGroup.exactOptional(),
};

/** A line of a live log. */
export const liveRecordSchema: z.ZodType<LiveRecord> = z.discriminatedUnion("type", [
  z.object({ ...liveStep, type: z.literal("agent"), event: agentEventSchema }),
  z.object({
    ...liveStep,
    type: z.literal("step_started"),
    condition: z.string().nullable(),
    said: z.string().nullable(),
  }),
  z.object({ ...liveStep, type: z.literal("step_completed"), stateHash: hash, meta: jsonObject }),
  z.object({
    ...liveBase,
    type: z.literal("asked"),
    role: z.string(),
    group: stepGroup.exactOptional(),
    message: z.string(),
  }),
  z.object({
    ...liveBase,
    type: z.literal("note"),
    about: z.enum(["supervisor", "summarizer", "worker"]),
    message: z.string(),
    usage: usage.nullable(),
  }),
  z.object({
    ...liveBase,
    type: z.literal("status"),
    status: z.enum(THREAD_STATUSES),
    summary: z.string().nullable(),
  }),
]);
