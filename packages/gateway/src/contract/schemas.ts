/** The contract as schemas: what a server accepts, and what is written in the OpenAPI document. None of them changes a
 *  value, so that each has a JSON Schema. A separate entry point: a page does without them. */
import {
  AGENT_FAULTS,
  AGENT_OUTCOMES,
  CANARY_PRESETS,
  HASH_PATTERN,
  type JsonObject,
  type JsonValue,
  LABEL_KEY_PATTERN,
  LABEL_VALUE_PATTERN,
  OVERLAPS,
  PLACE_NAME_PATTERN,
  ROLE_NAME_PATTERN,
  SPENT_BY,
  TASK_STATES,
  THREAD_STATUSES,
  TITLE_PATTERN,
  TOOL_KINDS,
  WORKER_ENDS,
  WORKFLOW_NAME_PATTERN,
} from "@uncaged/workflow-protocol";
import { z } from "zod";
import type { Api, EndpointName } from "./api.ts";
import { type FailureBody, SCOPES, type ServerEvent } from "./shapes.ts";

/** Of one endpoint. `body` null: it takes none. */
export type EndpointSchemas<Name extends EndpointName> = {
  path: z.ZodType<Api[Name]["path"]>;
  query: z.ZodType<Api[Name]["query"]>;
  body: Api[Name]["body"] extends null ? null : z.ZodType<Api[Name]["body"]>;
  response: z.ZodType<Api[Name]["response"]>;
};

const json: z.ZodType<JsonValue> = z.json().meta({ id: "Json" });
const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json);
const hash = z.string().regex(HASH_PATTERN);
/** A name, or a part of an id that the engine completes. */
const word = z.string().min(1).max(200);
const text = z.string();
const placeName = z.string().regex(PLACE_NAME_PATTERN);
const unixMs = z.number().int();
const count = z.number().int().nonnegative();
const positive = z.number().int().positive();
const none = z.strictObject({});
const scope = z.enum(SCOPES);
const usable = z.enum(["read", "run", "answer", "edit"]);
const status = z.enum(THREAD_STATUSES);
const fault = z.enum(AGENT_FAULTS);
const outcome = z.enum(["ok", ...AGENT_FAULTS]);
const labels = z.record(
  z.string().regex(LABEL_KEY_PATTERN),
  z.string().regex(new RegExp(LABEL_VALUE_PATTERN.source, "u")),
);

const limits = z.strictObject({
  steps: positive.exactOptional(),
  tokens: positive.exactOptional(),
  costUsd: z.number().positive().exactOptional(),
  timeMs: positive.exactOptional(),
});
const threadLimits = limits
  .extend({ roles: z.record(z.string().regex(ROLE_NAME_PATTERN), limits).exactOptional() })
  .meta({ id: "ThreadLimits" });

const usage = z
  .object({
    inputTokens: count,
    outputTokens: count,
    cachedInputTokens: count,
    costUsd: z.number().nullable(),
    estimated: z.literal(true).exactOptional(),
  })
  .meta({ id: "Usage" });

const join = z.union([z.enum(["all", "any"]), z.object({ atLeast: positive })]);
const stepGroup = z
  .object({ name: text, entry: count, index: count, of: count })
  .meta({ id: "StepGroup" });
const route = z.object({
  from: text,
  to: text,
  condition: text,
  rule: count.nullable(),
  prompt: text.nullable(),
  promptFrom: z.literal("person").exactOptional(),
  outcome: z.literal("limit").exactOptional(),
});

const run = z
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

const worker = z
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
    route: route
      .extend({
        to: text.exactOptional(),
        rule: count.nullable().exactOptional(),
        prompt: text.nullable().exactOptional(),
      })
      .nullable(),
    run: run.nullable(),
    workspace: workspace
      .extend({ changedOutside: z.literal(true).exactOptional() })
      .exactOptional(),
    workers: z.array(worker).exactOptional(),
  })
  .meta({ id: "Step" });

const reachedLimit = z.object({
  role: text.nullable(),
  bound: z.enum(["steps", "tokens", "costUsd", "timeMs"]),
  limit: z.number(),
  used: z.number(),
});
const wait = z
  .union([
    z.object({
      kind: z.literal("person"),
      role: text,
      message: text,
      form: jsonObject,
      route: route.nullable(),
      since: unixMs,
      deadline: unixMs.nullable(),
      assignees: z.array(text),
      member: count.exactOptional(),
      group: z.object({ name: text, entry: count, of: count, join }).exactOptional(),
      permission: z.literal(true).exactOptional(),
    }),
    z.object({
      role: text,
      message: text,
      kind: z.literal("limit").exactOptional(),
      limit: reachedLimit.exactOptional(),
    }),
  ])
  .meta({ id: "Wait" });

const limitKey = z.union([
  z.enum(["threads", "budget", "paused", "worker"]),
  z.templateLiteral(["workflow:", z.string()]),
  z.templateLiteral(["agent:", z.string()]),
  z.templateLiteral(["provider:", z.string()]),
  z.templateLiteral(["pool:", z.string()]),
  z.templateLiteral(["label:", z.string()]),
]);
const queuePlace = z
  .object({ since: unixMs, for: z.array(limitKey), notBefore: unixMs.nullable() })
  .meta({ id: "QueuePlace" });

const oneActivity = z.object({
  type: z.enum(["tool_start", "text", "result", "error"]),
  role: text,
  round: count,
  tool: text.nullable(),
  text,
  timestamp: unixMs,
});
const activity = z
  .object({
    role: text,
    round: count,
    agent: text.nullable(),
    since: unixMs,
    current: oneActivity.nullable(),
    recent: z.array(oneActivity),
  })
  .meta({ id: "ThreadActivity" });

const threadRow = z
  .object({
    threadId: text,
    title: text.nullable(),
    labels: z.record(text, text),
    workflow: text,
    bundleHash: text,
    status,
    stale: z.boolean(),
    head: hash,
    stepCount: count,
    usage: usage.nullable(),
    suspended: wait.nullable(),
    waits: z.array(wait),
    queue: queuePlace.nullable(),
    priority: z.number().int(),
    pool: text,
    needs: z.array(text),
    updatedAt: unixMs,
    startedAt: unixMs,
    createdAt: unixMs,
    returnCode: z.number().int().nullable(),
    parentThread: text.nullable(),
    depth: count,
    result: json.exactOptional(),
    activity: activity.nullable(),
    nextRole: text.nullable().exactOptional(),
  })
  .meta({ id: "ThreadRow" });

const queuedRow = threadRow.omit({ activity: true, nextRole: true }).meta({ id: "QueuedRow" });

const threadHead = z
  .object({
    threadId: text,
    title: text.nullable(),
    labels: z.record(text, text),
    usage: usage.nullable(),
    workflow: text,
    bundleHash: text,
    status,
    stale: z.boolean(),
    head: hash,
    queue: queuePlace.nullable(),
    priority: z.number().int(),
    pool: text,
    needs: z.array(text),
    start: z.object({
      hash,
      prompt: text,
      timestamp: unixMs,
      depth: count,
      parentState: text.nullable(),
    }),
    upgrades: z.array(
      z.object({ afterRound: count, from: text, to: text, stateHash: hash, timestamp: unixMs }),
    ),
    suspended: wait.nullable(),
    waits: z.array(wait),
    result: z
      .object({
        returnCode: z.number().int(),
        summary: text,
        rootHash: hash,
        value: json.exactOptional(),
        error: text.exactOptional(),
      })
      .nullable(),
    end: z.object({ run: run.nullable() }).nullable(),
    unrecorded: z.array(z.object({ role: text.nullable(), usage })),
    forkedFrom: z.object({ threadId: text, stateHash: hash }).nullable(),
    cwd: text,
    activity: activity.nullable(),
    workers: z.array(worker).exactOptional(),
    stepCount: count,
    createdAt: unixMs,
    updatedAt: unixMs,
    parentThread: text.nullable(),
    limits: threadLimits.nullable(),
    agent: text.nullable(),
  })
  .meta({ id: "ThreadHead" });

const threadIndex = z
  .object({
    threadId: text,
    head: hash,
    stepCount: count,
    columns: z.object({
      role: z.array(text),
      outcome: z.array(outcome),
      status: z.array(text.nullable()),
      stateHash: z.array(hash),
      timestamp: z.array(unixMs),
      durationMs: z.array(z.number().nullable()),
      agent: z.array(text.nullable()),
      tokens: z.array(count.nullable()),
      costUsd: z.array(z.number().nullable()),
      condition: z.array(text.nullable()),
      from: z.array(text.nullable()),
      evidence: z.array(count),
      files: z.array(z.boolean()),
      childThread: z.array(text.nullable()),
      group: z.array(stepGroup.nullable()),
    }),
  })
  .meta({ id: "ThreadIndex" });

const checkRun = z.object({
  tree: text,
  exitCode: z.number().int().nullable(),
  timedOut: z.boolean(),
  durationMs: z.number(),
  output: text,
  changed: z.array(text),
});
const evidence = z
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

const diffSide = z.object({
  role: text,
  group: stepGroup.exactOptional(),
  meta: json,
  stateHash: hash,
  condition: text.nullable(),
});
const diffed = z.object({ threadId: text, status: text, usage: usage.nullable() });
const diff = z
  .object({
    a: diffed,
    b: diffed,
    partsAt: positive.nullable(),
    rounds: z.array(
      z.object({
        round: positive,
        relation: z.enum(["shared", "equal", "differs"]),
        a: diffSide.nullable(),
        b: diffSide.nullable(),
        changes: z.array(
          z.object({ path: text, a: json.exactOptional(), b: json.exactOptional() }),
        ),
      }),
    ),
  })
  .meta({ id: "ThreadDiff" });

const standing = z
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

/** Any answer with a status of 400 or more. */
export const failureSchema: z.ZodType<FailureBody> = z
  .object({ error: z.object({ code: text, message: text, hint: text }) })
  .meta({ id: "Failure" });

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
const descriptor = z
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
              z.object({
                check: z.object({
                  command: z.array(text),
                  timeoutMs: positive.optional(),
                  setup: z.array(text).optional(),
                  protect: z.array(text).optional(),
                  canary: z
                    .union([
                      z.enum([...CANARY_PRESETS, "none"]),
                      z.object({ path: text, content: text }),
                    ])
                    .optional(),
                  network: z.boolean().optional(),
                  writes: z.array(text).optional(),
                }),
              }),
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

const plannedStart = z.object({
  workflow: text,
  prompt: text,
  cwd: text,
  worktree: z.object({ base: text.nullable() }).optional(),
  limits: limits.nullable(),
  title: text.nullable(),
  labels: z.record(text, text),
  priority: z.number().int(),
  pool: text.optional(),
  needs: z.array(text).optional(),
  depth: count.optional(),
});
const yaml = z.string().max(1_048_576);
const dryRunOf = {
  prompt: text.exactOptional(),
  stubs: jsonObject,
  maxSteps: positive.max(10_000).exactOptional(),
};
const background = z.enum(["background", "idle"]);
const threadRef = z.object({ threadId: text, stateHash: hash });
const forkPoint = z.union([z.strictObject({ step: count }), z.strictObject({ role: word })]);
const noPath = { path: none, query: none };
const byId = { path: z.strictObject({ id: word }), query: none };
const byStep = {
  path: z.strictObject({ id: word, n: z.string().regex(/^[1-9][0-9]{0,8}$/) }),
  query: none,
};
const poked = z.object({
  threadId: text,
  head: hash.nullable(),
  previousHead: hash,
  status,
});
const session = {
  who: text,
  scopes: z.array(scope),
  clients: z.array(text).nullable(),
  expiresAt: unixMs,
};
const queueGate = z.object({ pausedSince: unixMs.nullable() });

export const SCHEMAS: { readonly [Name in EndpointName]: EndpointSchemas<Name> } = {
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
  listWorkflows: {
    ...noPath,
    body: null,
    response: z.object({
      workflows: z.array(z.object({ name: text, hash, timestamp: unixMs })),
    }),
  },
  showWorkflow: {
    path: z.strictObject({ name: word }),
    query: z.strictObject({ version: hash.exactOptional() }),
    body: null,
    response: z.object({
      name: text,
      hash,
      timestamp: unixMs,
      descriptor,
      history: z.array(z.object({ hash, timestamp: unixMs })),
      sha256: text,
      externals: z.array(text),
      players: z.record(
        text,
        z.object({ agent: text.nullable(), by: z.enum(["bindings", "workflow", "default"]) }),
      ),
    }),
  },
  workflowText: {
    path: z.strictObject({ name: word }),
    query: z.strictObject({ version: hash.exactOptional() }),
    body: null,
    response: z.object({ name: text, hash, yaml: text.nullable() }),
  },
  publishWorkflow: {
    path: z.strictObject({ name: z.string().regex(WORKFLOW_NAME_PATTERN) }),
    query: none,
    body: z.strictObject({ yaml }),
    response: z.object({
      name: text,
      hash,
      sha256: text,
      previous: text.nullable(),
    }),
  },
  checkWorkflow: {
    ...noPath,
    body: z.strictObject({ yaml }),
    response: z.object({
      ok: z.boolean(),
      hash: hash.nullable(),
      descriptor: descriptor.nullable(),
      faults: z.array(
        z.object({
          level: z.enum(["fault", "warning"]),
          message: text,
          place: text.nullable(),
          span: z.object({ start: count, end: count, line: positive, column: positive }).nullable(),
        }),
      ),
    }),
  },
  teach: {
    ...noPath,
    body: z.strictObject({ words: z.string().trim().min(1).max(20_000) }),
    response: z.object({ threadId: text }),
  },
  checkDraft: { ...byId, body: none, response: standing },
  dryRun: {
    ...noPath,
    body: z.union([
      z.strictObject({ ...dryRunOf, yaml }),
      z.strictObject({ ...dryRunOf, workflow: word }),
    ]),
    response: z.object({
      workflow: text,
      hash,
      ok: z.boolean(),
      route: z.array(
        z.object({
          round: positive.nullable(),
          from: text,
          to: text,
          rule: count.nullable(),
          condition: text,
          prompt: text.nullable(),
          stub: z
            .union([
              z.object({ place: text, meta: jsonObject }),
              z.object({ place: text, outcome: fault }),
            ])
            .nullable(),
          group: stepGroup.exactOptional(),
        }),
      ),
      end: z.object({
        kind: z.enum(["ended", "suspended", "failed", "out_of_stubs", "stub_invalid", "max_steps"]),
        role: text,
        message: text,
      }),
      faults: z.array(z.object({ place: text, message: text })),
      unused: z.array(text),
      result: json.exactOptional(),
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
  listThreads: {
    path: none,
    query: z.strictObject({
      status: status.exactOptional(),
      workflow: word.exactOptional(),
      q: z.string().max(500).exactOptional(),
      label: z.string().max(1_000).exactOptional(),
      since: z
        .string()
        .regex(/^[0-9]{1,15}$/)
        .exactOptional(),
      after: word.exactOptional(),
      limit: z
        .string()
        .regex(/^[1-9][0-9]{0,2}$/)
        .exactOptional(),
    }),
    body: null,
    response: z.object({ threads: z.array(threadRow), next: text.nullable() }),
  },
  startThread: {
    ...noPath,
    body: z.strictObject({
      workflow: word,
      prompt: z.string().min(1),
      cwd: z.string().min(1).exactOptional(),
      title: z.string().regex(new RegExp(TITLE_PATTERN.source, "u")).exactOptional(),
      labels: labels.exactOptional(),
      limits: threadLimits.exactOptional(),
      priority: z.number().int().min(-1_000_000).max(1_000_000).exactOptional(),
      pool: placeName.exactOptional(),
      needs: z.array(placeName).max(32).exactOptional(),
      run: z.union([background, z.strictObject({ notBefore: unixMs.nullable() })]).exactOptional(),
    }),
    response: z.object({ threadId: text, queue: queuePlace.exactOptional() }),
  },
  showThread: { ...byId, body: null, response: threadHead },
  threadIndex: { ...byId, body: null, response: threadIndex },
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
  diffThreads: {
    path: z.strictObject({ a: word, b: word }),
    query: none,
    body: null,
    response: diff,
  },
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
  inbox: {
    path: none,
    query: z.strictObject({ workflow: word.exactOptional() }),
    body: null,
    response: z.object({ threads: z.array(threadRow) }),
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
  listTasks: {
    ...noPath,
    body: null,
    response: z.object({
      tasks: z.array(
        z.object({
          repository: text,
          id: text,
          state: z.enum(TASK_STATES),
          branch: text,
          worktree: text,
          description: text,
          integration: text,
          attempt: positive,
          who: text.nullable(),
          workers: z.array(text),
          head: text.nullable(),
          merged: text.nullable(),
          note: text.nullable(),
          assignedAt: unixMs,
          changedAt: unixMs,
          heartbeatAt: unixMs.nullable(),
          progress: z.number().nullable(),
          workflow: text.nullable(),
          thread: text.nullable(),
          stale: z.boolean(),
        }),
      ),
    }),
  },
  listSchedules: {
    ...noPath,
    body: null,
    response: z.object({
      schedules: z.array(
        z.object({
          name: text,
          createdAt: unixMs,
          pausedAt: unixMs.nullable(),
          nextAt: unixMs.nullable(),
          timing: z.union([
            z.object({ kind: z.literal("cron"), cron: text, zone: text }),
            z.object({ kind: z.literal("every"), everyMs: count, fromMs: unixMs }),
            z.object({ kind: z.literal("at"), atMs: unixMs }),
          ]),
          overlap: z.enum(OVERLAPS),
          catchUpMs: count.nullable(),
          jitterMs: count,
          start: plannedStart,
        }),
      ),
      hosted: z.boolean(),
    }),
  },
  listTriggers: {
    ...noPath,
    body: null,
    response: z.object({
      triggers: z.array(
        z.object({
          name: text,
          source: z.union([
            z.object({ kind: z.literal("watch"), folder: text }),
            z.object({ kind: z.literal("webhook"), filter: text.nullable() }),
          ]),
          start: plannedStart,
          createdAt: unixMs,
          pausedAt: unixMs.nullable(),
        }),
      ),
    }),
  },
  blob: {
    path: z.strictObject({ hash }),
    query: z.strictObject({ payload: z.literal("1").exactOptional() }),
    body: null,
    response: text,
  },
  putBlob: { ...noPath, body: text, response: z.object({ hash }) },
  events: {
    path: none,
    query: z.strictObject({ topics: z.string().min(1).max(4_000) }),
    body: null,
    response: text,
  },
  deliver: {
    path: z.strictObject({ trigger: word }),
    query: none,
    body: jsonObject,
    response: z.union([
      z.object({ kind: z.literal("started"), threadId: text }),
      z.object({ kind: z.literal("ignored") }),
    ]),
  },
  listClients: {
    ...noPath,
    body: null,
    response: z.object({
      clients: z.array(
        z.object({
          name: text,
          state: z.enum(["connected", "silent", "gone"]),
          since: unixMs,
          version: text.nullable(),
          scopes: z.array(usable),
        }),
      ),
    }),
  },
  access: {
    ...noPath,
    body: null,
    response: z.object({
      tokens: z.array(
        z.object({
          id: text,
          name: text,
          scopes: z.array(scope),
          clients: z.array(text).nullable(),
          createdAt: unixMs,
          expiresAt: unixMs.nullable(),
          lastUsedAt: unixMs.nullable(),
        }),
      ),
      sessions: z.array(
        z.object({ who: text, createdAt: unixMs, lastUsedAt: unixMs, current: z.boolean() }),
      ),
      audit: z.array(
        z.object({
          at: unixMs,
          who: text.nullable(),
          client: text.nullable(),
          method: text,
          path: text,
          status: z.number().int(),
        }),
      ),
    }),
  },
  logIn: {
    ...noPath,
    body: z.union([
      z.strictObject({ code: z.string().max(200) }),
      z.strictObject({ token: z.string().max(200) }),
    ]),
    response: z.object({ ...session, key: text }),
  },
  session: { ...noPath, body: null, response: z.object(session) },
  logOut: { ...noPath, body: none, response: z.object({ ended: z.boolean() }) },
};

const liveOf = { seq: positive, threadId: text, timestamp: unixMs };
const liveStep = { ...liveOf, role: text, round: positive, group: stepGroup.exactOptional() };
const agentEvent = z.union([
  z.object({ type: z.literal("text"), text }),
  z.object({
    type: z.literal("tool"),
    phase: z.literal("start"),
    id: text,
    name: text,
    input: json,
  }),
  z.object({
    type: z.literal("tool"),
    phase: z.literal("end"),
    id: text,
    name: text,
    ok: z.boolean(),
  }),
  z.object({ type: z.literal("started"), agent: text, session: text.nullable() }),
  z.object({ type: z.literal("permission"), tool: text, allowed: z.boolean(), reason: text }),
  z.object({ type: z.literal("usage"), usage }),
  z.object({
    type: z.literal("retry"),
    reason: text,
    delayMs: z.number(),
    retryAfterMs: z.number().optional(),
  }),
  z.object({ type: z.literal("end"), outcome: z.enum(AGENT_OUTCOMES), reason: text }),
]);

/** What the data of a server-sent event is. */
export const serverEventSchema: z.ZodType<ServerEvent> = z
  .union([
    z.object({ type: z.literal("ready") }),
    z.object({ type: z.literal("reset"), topic: text }),
    z.object({ type: z.literal("thread"), topic: text, thread: threadRow }),
    z.object({ type: z.literal("removed"), topic: text, threadId: text }),
    z.object({ type: z.literal("inbox"), topic: text, waiting: count }),
    z.object({
      type: z.literal("live"),
      topic: text,
      item: z.union([
        z.object({ ...liveStep, type: z.literal("agent"), event: agentEvent }),
        z.object({
          ...liveStep,
          type: z.literal("step_started"),
          condition: text.nullable(),
          said: text.nullable(),
        }),
        z.object({
          ...liveStep,
          type: z.literal("step_completed"),
          stateHash: hash,
          meta: z.record(text, z.unknown()),
        }),
        z.object({
          ...liveOf,
          type: z.literal("asked"),
          role: text,
          group: stepGroup.exactOptional(),
          message: text,
        }),
        z.object({
          ...liveOf,
          type: z.literal("note"),
          about: z.enum(["supervisor", "summarizer"]),
          message: text,
          usage: usage.nullable(),
        }),
        z.object({ ...liveOf, type: z.literal("status"), status, summary: text.nullable() }),
      ]),
    }),
  ])
  .meta({ id: "ServerEvent" });
