/** Makes an adapter from an agent's driver: everything that is the same for all agents happens here.
 *
 *  1. A step that could not keep its promises is refused before anything starts: a role's rules, a missing program
 *     or login.
 *  2. The agent sees a listed environment, and a folder that belongs to this role in this thread. Only the agent's
 *     sessions in that folder outlive a step: the rest may have been put there by another role.
 *  3. Success is the engine's own verdict: a value that matches the role's schema, and the required evidence
 *     (`runTurns`).
 *  4. Secrets are removed from everything that is emitted or stored.
 *  5. A failed run's record travels with the error, because its cost counts. */
import { existsSync } from "node:fs";
import {
  type AdapterFn,
  type AgentProbe,
  agentFaultOf,
  type EngineTool,
  failureFrom,
  type RoleResult,
  requiredCalls,
  type StepRun,
  type ThreadContext,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import { type Redactor, randomTag, redactor } from "@uncaged/workflow-util";
import type { z } from "zod";
import { outputSchemaOf } from "../answer/output-schema.ts";
import { describeIssues } from "../answer/read-structured.ts";
import { safeEmit } from "../answer/safe-emit.ts";
import { shorten } from "../answer/shorten.ts";
import type {
  AgentConversation,
  AgentDriver,
  AgentOptions,
  AgentStep,
} from "../driver/agent-driver.ts";
import { evidenceBook } from "../evidence/evidence-book.ts";
import { Refusals } from "../evidence/refusals.ts";
import { rulesInWords } from "../evidence/rules-in-words.ts";
import { freshHome } from "../process/fresh-home.ts";
import { isolatedBy, isolationOf, withIsolation } from "../process/isolation.ts";
import { lendModel } from "../process/lend-model.ts";
import { programIdentity } from "../process/program-identity.ts";
import { type StepDeadline, stepDeadline } from "../process/step-deadline.ts";
import { buildAgentPrompt } from "../prompt/build-agent-prompt.ts";
import { buildReminder } from "../prompt/build-reminder.ts";
import { buildThreadInput } from "../prompt/build-thread-input.ts";
import { type ThreadReach, threadAccess } from "../prompt/thread-access.ts";
import { commandTools } from "../tools/command-tool.ts";
import { lendStore } from "../tools/lend-store.ts";
import { lendTools, redactedTool } from "../tools/lend-tools.ts";
import { type StepStore, stepStoreOf } from "../tools/step-store.ts";
import { storeTools } from "../tools/store-tools.ts";
import {
  type AgentJob,
  agentEnvironment,
  agentStep,
  type OfSession,
  workFolder,
} from "./agent-step.ts";
import { type ResumableSession, resumableSession } from "./resumable-session.ts";
import { runTurns } from "./run-turns.ts";
import { StepRecord } from "./step-record.ts";
import { demandRules, isOffline, modelAddresses, usableAgent } from "./usable-agent.ts";
import { withRun } from "./with-run.ts";

const HOUR_MS = 3_600_000;
const CONTENT_CHARS = 1_048_576;

/** Nothing is looked for or started before a role runs. */
export function createAgent(driver: AgentDriver, options: AgentOptions = {}): AdapterFn {
  const usable = usableAgent(driver, () => ({ ...process.env, ...options.env }));
  const adapter =
    <T>(prompt: string, schema: z.ZodType<T>) =>
    async (ctx: ThreadContext, runtime: WorkflowRuntime): Promise<RoleResult<T>> => {
      const rules = demandRules(runtime.step, driver);
      const outputSchema = outputSchemaOf(schema);
      const probe = await usable();
      const job = { driver, options, prompt, outputSchema, rules, ctx, runtime };
      return runStep(job, schema, probe);
    };
  return Object.assign(adapter, { holdsPolicy: true } as const);
}

async function runStep<T>(
  given: AgentJob,
  schema: z.ZodType<T>,
  probe: AgentProbe,
): Promise<RoleResult<T>> {
  const { runtime, note: notIsolated } = await withIsolation(given.runtime, {
    writable: given.driver.writable,
    offline: isOffline(given.rules, given.driver),
  });
  const job = { ...given, runtime };
  const { driver, options, outputSchema, ctx } = job;
  const version = probe.version ?? "unknown";
  const program = programIdentity(probe.path);
  const own = agentEnvironment(job);
  const addresses = modelAddresses(runtime.step, driver, own);
  const known = { ...process.env, ...own };
  const pass = randomTag(32);
  const redact = redactor({ env: known, values: [...(driver.secrets?.(known) ?? []), pass] });
  const { emit, close } = safeEmit(runtime.emit, redact);
  const deadline = stepDeadline(
    options.timeoutMs === undefined ? HOUR_MS : options.timeoutMs,
    runtime.signal,
  );
  const evidence = evidenceBook({
    cas: runtime.cas,
    requirements: requiredCalls(job.rules.requiredEvidence),
    cwd: workFolder(job),
    redact,
  });
  const note = (text: string): void => record.note(text);
  const ofStore = storeOf(job, redact);
  const reach = reachOf(driver, ofStore);
  const access = threadAccess(ctx.threadId, job.rules.tools ?? null, reach);
  const reminder = await buildReminder(ctx, runtime, access);
  const refusals = new Refusals(emit);
  // Also where its commands may not connect: a command then says why it fails.
  const lentStore =
    ofStore === null ? null : await lendStore({ root: ofStore.root, pass }, ofStore.store);
  const model = addresses === null ? null : await lendModel(addresses);
  const env = { ...own, ...lentStore?.env, ...model?.env };
  const tools = [
    ...(runtime.workers?.tools ?? []).map((tool) => redactedTool(tool, redact)),
    ...(ofStore?.by === "tools" ? toolsInStore(job, ofStore.store, { env, deadline }) : []),
  ];
  const lent = driver.can.tools === "mcp" && tools.length > 0 ? await lendTools(tools) : null;
  const step = agentStep(job, {
    tools: driver.can.tools === "direct" ? tools : [],
    toolServer: lent?.server ?? null,
    gate: model?.socket ?? null,
    env,
    deadline,
    evidence,
    emit: refusals.emit,
    reminder,
    misfit: async (value) => {
      const parsed = await schema.safeParseAsync(value);
      return parsed.success ? null : describeIssues(parsed.error);
    },
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
    const by = step.isolation == null ? null : await isolatedBy();
    return {
      ...run,
      ...(by === null ? {} : { isolation: by }),
      agent: { ...run.agent, ...(await program) },
    };
  };
  const { from: session, note: of } = await resumableSession(ctx, runtime, job);
  if (of !== null) note(of);
  if (notIsolated !== null) note(notIsolated);
  emit({ type: "started", agent: driver.name, session: session?.session ?? null });
  try {
    const result = await runTurns({
      agent: driver.name,
      schema,
      outputSchema,
      handInTool: driver.handInTool ?? null,
      repairs: options.repairs ?? 1,
      evidenceTurns: options.evidenceTurns ?? 2,
      runtime,
      deadline,
      record,
      evidence,
      refusals,
      redact,
      ...(runtime.workers === undefined
        ? {}
        : {
            news: ({ session: id, rawUsage }) => {
              const turn = id === null ? null : { agent: driver.name, session: id, rawUsage };
              return runtime.workers?.news(turn, deadline.signal) ?? Promise.resolve(null);
            },
          }),
      session,
      begin: (from) => begin(job, { step, record, from }),
    });
    const run = await runOf();
    emit({ type: "end", outcome: "ok", reason: "" });
    const content = result.text.trim() === "" ? undefined : shorten(result.text, CONTENT_CHARS);
    return { meta: result.meta, childThread: null, content, run };
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
    await lent?.close();
    await lentStore?.close();
    await model?.close();
  }
}

type StoreWay = { by: "socket" | "tools"; root: string; store: StepStore };

/** How a step in a sandbox, where the storage root is covered, reaches what it needs of it. null: it is in none. */
function storeOf({ driver, ctx, runtime }: AgentJob, redact: Redactor): StoreWay | null {
  const { isolation, storageRoot } = runtime.step;
  if (isolation === undefined || storageRoot === undefined) return null;
  const by = driver.socketless === true ? "tools" : "socket";
  return { by, root: storageRoot, store: stepStoreOf(ctx, runtime, redact) };
}

/** For an agent whose commands cannot connect to the lent store. */
function toolsInStore(
  job: AgentJob,
  store: StepStore,
  { env, deadline }: { env: Readonly<Record<string, string>>; deadline: StepDeadline },
): EngineTool[] {
  const policy = job.rules.tools ?? null;
  const { step } = job.runtime;
  const cwd = workFolder(job);
  const command = commandTools({
    ...{ policy, cwd, env, processTag: step.processTag, signal: deadline.signal },
    isolation: isolationOf({ ...step, cwd, offline: policy?.network === false }),
    remainingMs: () => deadline.remainingMs(),
  });
  return [...storeTools(store, policy), ...command];
}

/** Opens the agent with what it does not know yet: everything, or what is new since its session's last step. */
async function begin(
  job: AgentJob,
  about: {
    step: Omit<AgentStep, OfSession>;
    record: StepRecord;
    from: ResumableSession | null;
  },
): Promise<{ conversation: AgentConversation; prompt: string }> {
  const { driver, options, prompt, outputSchema, rules, ctx, runtime } = job;
  const { step, record, from } = about;
  const threadInput = await buildThreadInput(ctx, runtime, {
    budgetChars: options.budgetChars,
    knownSteps: from?.knownSteps,
    ...reachOf(driver, storeOf(job, step.redact)),
  });
  const rolePrompt = from === null && driver.systemPromptApart !== true ? prompt : "";
  const text = buildAgentPrompt({
    rolePrompt,
    threadInput,
    // A resumed session knows them.
    rules: from === null ? rulesInWords(rules, step.cwd) : "",
    workers: await aboutWorkers(runtime, from),
    outputSchema,
    handInTool: driver.handInTool,
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

/** An agent that goes on in its own session is told what it may have missed. */
async function aboutWorkers(
  { workers }: WorkflowRuntime,
  from: ResumableSession | null,
): Promise<string> {
  if (workers === undefined) return "";
  return from?.isCutOff === true ? workers.resumed() : workers.manners();
}

function reachOf(
  { runsCommands, shellTools, mcpTool, can }: AgentDriver,
  store: Pick<StoreWay, "by"> | null,
): ThreadReach {
  if (store?.by !== "tools") return { commands: runsCommands, shellTools, mcpTool };
  return { commands: false, mcpTool: can.tools === undefined ? null : (tool) => tool };
}
