/** An adapter made of an agent's driver: everything that is the same for all agents is done here.
 *
 *  1. What cannot be kept is refused before anything starts: a role's rules, a missing program or log-in.
 *  2. The agent sees a listed environment, and a folder that belongs to this thread's role alone. Of what is in that
 *     folder only the agent's sessions outlive a step: another role may have put the rest there.
 *  3. Success is our own verdict: a value of the role's schema, and the required evidence (`playTurns`).
 *  4. Secrets are taken out of whatever is emitted or stored.
 *  5. The record of a run that failed goes with the error: what it cost counts. */
import { existsSync } from "node:fs";
import {
  type AdapterFn,
  type AgentProbe,
  agentFaultOf,
  failureFrom,
  type RoleResult,
  type StepRun,
  type ThreadContext,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import { redactor } from "@uncaged/workflow-util";
import type { z } from "zod";
import type { AgentConversation, AgentDriver, AgentOptions, AgentStep } from "./agent-driver.ts";
import {
  type AgentJob,
  agentEnvironment,
  agentStep,
  type OfSession,
  workFolder,
} from "./agent-step.ts";
import { buildAgentPrompt } from "./build-agent-prompt.ts";
import { buildReminder } from "./build-reminder.ts";
import { buildThreadInput } from "./build-thread-input.ts";
import { evidenceBook } from "./evidence-book.ts";
import { freshHome } from "./fresh-home.ts";
import { outputSchemaOf } from "./output-schema.ts";
import { playTurns } from "./play-turns.ts";
import { programIdentity } from "./program-identity.ts";
import { Refusals } from "./refusals.ts";
import { type ResumableSession, resumableSession } from "./resumable-session.ts";
import { rulesInWords } from "./rules-in-words.ts";
import { safeEmit } from "./safe-emit.ts";
import { shorten } from "./shorten.ts";
import { stepDeadline } from "./step-deadline.ts";
import { StepRecord } from "./step-record.ts";
import { type ThreadReach, threadAccess } from "./thread-access.ts";
import { demandRules, usableAgent } from "./usable-agent.ts";
import { withRun } from "./with-run.ts";

const HOUR_MS = 3_600_000;
const CONTENT_CHARS = 1_048_576;

/** Nothing is looked for or started before a role is played. */
export function createAgent(driver: AgentDriver, options: AgentOptions = {}): AdapterFn {
  const usable = usableAgent(driver, () => ({ ...process.env, ...options.env }));
  const adapter =
    <T>(prompt: string, schema: z.ZodType<T>) =>
    async (ctx: ThreadContext, runtime: WorkflowRuntime): Promise<RoleResult<T>> => {
      const rules = demandRules(runtime.step, driver);
      const outputSchema = outputSchemaOf(schema);
      const probe = await usable();
      const job = { driver, options, prompt, outputSchema, rules, ctx, runtime };
      return playStep(job, schema, probe);
    };
  return Object.assign(adapter, { holdsPolicy: true } as const);
}

async function playStep<T>(
  job: AgentJob,
  schema: z.ZodType<T>,
  probe: AgentProbe,
): Promise<RoleResult<T>> {
  const { driver, options, outputSchema, ctx, runtime } = job;
  const version = probe.version ?? "unknown";
  const program = programIdentity(probe.path);
  const env = agentEnvironment(job);
  const known = { ...process.env, ...env };
  const redact = redactor({ env: known, values: driver.secrets?.(known) });
  const { emit, close } = safeEmit(runtime.emit, redact);
  const deadline = stepDeadline(
    options.timeoutMs === undefined ? HOUR_MS : options.timeoutMs,
    runtime.signal,
  );
  const evidence = evidenceBook({
    cas: runtime.cas,
    requirements: job.rules.requiredEvidence ?? [],
    cwd: workFolder(job),
    redact,
  });
  const note = (text: string): void => record.note(text);
  const access = threadAccess(ctx.threadId, job.rules.tools ?? null, reachOf(driver));
  const reminder = await buildReminder(ctx, runtime, access);
  const refusals = new Refusals(emit);
  const step = agentStep(job, {
    env,
    deadline,
    evidence,
    emit: refusals.emit,
    reminder,
    note,
    redact,
  });
  const record = new StepRecord(
    {
      agent: { name: driver.name, version },
      cwd: step.cwd,
      ...(job.rules.tools === undefined ? {} : { policy: "held" }),
    },
    redact,
  );
  const runOf = async (): Promise<StepRun> => {
    const run = record.run(await evidence.kept());
    return { ...run, agent: { ...run.agent, ...(await program) } };
  };
  const { from: session, note: of } = await resumableSession(ctx, runtime.step, job);
  if (of !== null) note(of);
  emit({ type: "started", agent: driver.name, session: session?.session ?? null });
  try {
    const played = await playTurns({
      agent: driver.name,
      schema,
      outputSchema,
      repairs: options.repairs ?? 1,
      evidenceTurns: options.evidenceTurns ?? 2,
      runtime,
      deadline,
      record,
      evidence,
      refusals,
      redact,
      session,
      begin: (from) => begin(job, { step, record, from }),
    });
    const run = await runOf();
    emit({ type: "end", outcome: "ok", reason: "" });
    const content = played.text.trim() === "" ? undefined : shorten(played.text, CONTENT_CHARS);
    return { meta: played.meta, childThread: null, content, run };
  } catch (thrown) {
    const error = await withRun(thrown, {
      run: runOf,
      redact,
    });
    const outcome = agentFaultOf(error)?.outcome ?? "crashed";
    emit({ type: "end", outcome, reason: failureFrom(error, "INTERNAL").message });
    throw error;
  } finally {
    deadline.clear();
    close();
  }
}

/** Opens the agent with what it does not know yet: all, or what is new since its session's last step. */
async function begin(
  { driver, options, prompt, outputSchema, rules, ctx, runtime }: AgentJob,
  about: {
    step: Omit<AgentStep, OfSession>;
    record: StepRecord;
    from: ResumableSession | null;
  },
): Promise<{ conversation: AgentConversation; prompt: string }> {
  const { step, record, from } = about;
  const threadInput = await buildThreadInput(ctx, runtime, {
    budgetChars: options.budgetChars,
    knownSteps: from?.knownSteps,
    ...reachOf(driver),
  });
  const rolePrompt = from === null && driver.systemPromptApart !== true ? prompt : "";
  const text = buildAgentPrompt({
    rolePrompt,
    threadInput,
    // A session that is gone on with knows them.
    rules: from === null ? rulesInWords(rules, step.cwd) : "",
    outputSchema,
  });
  record.prompted(await runtime.cas.put(text));
  if (options.config !== "user" || existsSync(step.home))
    await freshHome(step.home, driver.keeps ?? []);
  const conversation = await driver.open({
    ...step,
    session: from?.session ?? null,
    copiesSession: from?.isCopied === true,
    previousRawUsage: from?.rawUsage ?? null,
  });
  return { conversation, prompt: text };
}

function reachOf({ runsCommands: commands, shellTools, mcpTool }: AgentDriver): ThreadReach {
  return { commands, shellTools, mcpTool };
}
