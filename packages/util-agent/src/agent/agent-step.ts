/** Builds what a driver is told about a step. */
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AgentEvent,
  type EngineTool,
  type JsonObject,
  type RoleRules,
  type ThreadContext,
  timerMs,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import type { Redactor } from "@uncaged/workflow-util";
import { evidenceWords } from "@uncaged/workflow-util/tool-rules";
import type { AgentDriver, AgentOptions, AgentStep, ToolServer } from "../driver/agent-driver.ts";
import type { EvidenceBook } from "../evidence/evidence-book.ts";
import { cliEnvironment } from "../process/cli-environment.ts";
import { isolationOf } from "../process/isolation.ts";
import type { StepDeadline } from "../process/step-deadline.ts";
import { stepEnvironment } from "../process/step-environment.ts";
import { notDoneYet } from "../prompt/follow-up-prompts.ts";
import { isOffline } from "./usable-agent.ts";

const TEN_MINUTES_MS = 600_000;

/** One call of an agent, before anything is opened for it. */
export type AgentJob = {
  driver: AgentDriver;
  options: AgentOptions;
  /** The role's system prompt. */
  prompt: string;
  outputSchema: JsonObject;
  rules: RoleRules;
  ctx: ThreadContext;
  runtime: WorkflowRuntime;
};

export function agentEnvironment({
  driver,
  options,
  ctx,
  runtime,
}: AgentJob): Record<string, string> {
  return cliEnvironment(process.env, {
    passEnv: [...driver.passEnv, ...(options.passEnv ?? [])],
    env: { ...options.env, ...stepEnvironment(ctx, runtime) },
  });
}

/** Absolute. */
export function workFolder({ options, runtime }: Pick<AgentJob, "options" | "runtime">): string {
  return resolve(runtime.step.cwd, options.cwd ?? ".");
}

/** The fields that depend on the session to resume. */
export type OfSession = "session" | "copiesSession" | "previousRawUsage";

/** The step without the fields of the session. */
export function agentStep(
  job: AgentJob,
  parts: {
    env: Readonly<Record<string, string>>;
    deadline: StepDeadline;
    evidence: EvidenceBook;
    emit: (event: AgentEvent) => void;
    reminder: string;
    misfit: AgentStep["misfit"];
    /** Adds a sentence to the step's record. */
    note: (text: string) => void;
    redact: Redactor;
    /** Of the engine; empty: none. */
    tools: readonly EngineTool[];
    toolServer: ToolServer | null;
    /** See `Isolation.gate`. */
    gate: string | null;
  },
): Omit<AgentStep, OfSession> {
  const { options, prompt, outputSchema, rules, ctx, runtime } = job;
  const { role, round, home, storageRoot = null, processTag, scratch, isWorker } = runtime.step;
  const { deadline, evidence } = parts;
  return {
    threadId: ctx.threadId,
    role,
    round,
    cwd: workFolder(job),
    home,
    storageRoot,
    ...(scratch === undefined ? {} : { scratch }),
    ...(isWorker === undefined ? {} : { isWorker }),
    ...(parts.tools.length === 0 ? {} : { tools: parts.tools }),
    ...(parts.toolServer === null ? {} : { toolServer: parts.toolServer }),
    processTag,
    isolation: isolationOf({
      ...runtime.step,
      cwd: workFolder(job),
      offline: isOffline(rules, job.driver),
      gate: parts.gate,
    }),
    env: parts.env,
    systemPrompt: prompt,
    outputSchema,
    misfit: parts.misfit,
    note: parts.note,
    policy: rules.tools ?? null,
    mayI: mayIOf(job, parts),
    standBack: (delayMs) => {
      const { signal } = deadline;
      return runtime.standBack?.({ delayMs, signal }) ?? waitFor(delayMs, signal);
    },
    isHeld: rules.tools !== undefined || (rules.requiredEvidence?.length ?? 0) > 0,
    limits: {
      get timeoutMs() {
        return deadline.remainingMs();
      },
      idleTimeoutMs: options.idleTimeoutMs ?? TEN_MINUTES_MS,
    },
    signal: deadline.signal,
    emit: parts.emit,
    seen: evidence.seen,
    reminder: parts.reminder,
    redact: parts.redact,
    stillMissing: () => {
      const missing = evidence.missing();
      if (missing.length === 0) return null;
      parts.note(`sent back, evidence was missing: ${missing.map(evidenceWords).join("; ")}`);
      return notDoneYet(missing);
    },
  };
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(timerMs(ms), undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}

const MOST_ASKED_CHARS = 2_000;

/** What the person reads may hold secrets; what the person decides is noted in the step's record. */
function mayIOf(
  { runtime, driver }: AgentJob,
  {
    deadline,
    note,
    redact,
  }: { deadline: StepDeadline; note: (text: string) => void; redact: Redactor },
): AgentStep["mayI"] {
  return async ({ name, subject }) => {
    const call = redact(subject === "" ? name : `${name}: ${subject}`).slice(0, MOST_ASKED_CHARS);
    const nobody = { allowed: false, reason: "there is nobody to ask" };
    const question = { message: `May ${driver.name} do this? ${call}`, signal: deadline.signal };
    const decided = (await runtime.mayI?.(question)) ?? nobody;
    note(`${decided.allowed ? "allowed" : "refused"} (${decided.reason}): ${call}`);
    return decided;
  };
}
