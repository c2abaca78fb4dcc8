/** An adapter that runs a role as a program: no model where no judgement is needed.
 *
 *  1. The exit code is data, not an error: a failing test suite is a result.
 *  2. What the program prints is data as well: it never becomes an argument, a path or a node of another type, and
 *     the values of secret variables are removed from it before anything is stored or shown.
 *  3. A step fails when the role's tool policy does not allow the command, when it cannot be started, exceeds a time
 *     limit, is not the evidence that the role requires, or returns a result that does not match the role's schema.
 *     When the thread is stopped, the role rejects once all its processes are gone.
 *  4. A failed run's record travels with the error. */
import {
  type AdapterFn,
  agentFaultOf,
  failureFrom,
  type RoleResult,
  requiredCalls,
  type StepRun,
  type StepScope,
  type ThreadContext,
  WorkflowError,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import {
  type AgentCall,
  type EvidenceBook,
  evidenceBook,
  evidenceRefusal,
  isolatedBy,
  type LentStore,
  lendStore,
  randomTag,
  stepStoreOf,
  versionOf,
  withIsolation,
  withRun,
} from "@uncaged/workflow-util-agent";
import type { z } from "zod";
import { callRecord } from "./call-record.ts";
import type { CommandAgentConfig } from "./command-config.ts";
import { type CommandOrder, commandOrder } from "./command-order.ts";
import { demandAllowed } from "./demand-allowed.ts";
import { metaOf } from "./meta-of.ts";
import { isOffline, runCommand } from "./run-command.ts";

/** Nothing is looked for or started before the role runs. */
export function createCommandAgent(config: CommandAgentConfig): AdapterFn {
  const adapter =
    <T>(prompt: string, schema: z.ZodType<T>) =>
    async (ctx: ThreadContext, given: WorkflowRuntime): Promise<RoleResult<T>> => {
      const { runtime, note } = await withIsolation(given, { offline: isOffline(given.step) });
      const call = { prompt, ctx, runtime };
      const plain = await commandOrder(config, call);
      const store = await lentStore(call, plain);
      const order = { ...plain, env: { ...plain.env, ...store?.env } };
      const requirements = requiredCalls(runtime.step.rules?.requiredEvidence);
      const { cwd, redact } = order;
      const evidence = evidenceBook({ cas: runtime.cas, requirements, cwd, redact });
      const startedAt = Date.now();
      const run = async (): Promise<StepRun> => ({
        agent: { name: "command", version: versionOf(import.meta.url) },
        session: null,
        prompt: order.stdin === null ? null : await runtime.cas.put(order.stdin),
        startedAt,
        completedAt: Date.now(),
        usage: null,
        cwd: order.cwd,
        evidence: (await evidence.kept()).hashes,
        ...(runtime.step.rules?.tools === undefined ? {} : { policy: "held" }),
        ...(await isolationRecord(runtime.step)),
        ...(note === null ? {} : { notes: [note] }),
      });
      runtime.emit({ type: "started", agent: order.title, session: null });
      try {
        const played = await runRole({ config, schema, call, order, evidence });
        const result = { ...played, childThread: null, run: await run() };
        runtime.emit({ type: "end", outcome: "ok", reason: "" });
        return result;
      } catch (thrown) {
        const error = await withRun(thrown, { run, redact });
        const outcome = agentFaultOf(error)?.outcome ?? "crashed";
        runtime.emit({ type: "end", outcome, reason: failureFrom(error, "AGENT_FAILED").message });
        throw error;
      } finally {
        await store?.close();
      }
    };
  return Object.assign(adapter, { holdsPolicy: true } as const);
}

/** In a sandbox no command reaches the storage root. null: it is in none. */
async function lentStore(
  { ctx, runtime }: AgentCall,
  { redact }: Pick<CommandOrder, "redact">,
): Promise<LentStore | null> {
  const { isolation, storageRoot } = runtime.step;
  if (isolation === undefined || storageRoot === undefined) return null;
  const store = stepStoreOf(ctx, runtime, redact);
  return lendStore({ root: storageRoot, pass: randomTag(32) }, store);
}

async function isolationRecord({
  isolation,
}: Pick<StepScope, "isolation">): Promise<Pick<StepRun, "isolation">> {
  const by = isolation === undefined ? null : await isolatedBy();
  return by === null ? {} : { isolation: by };
}

async function runRole<T>(play: {
  config: CommandAgentConfig;
  schema: z.ZodType<T>;
  call: AgentCall;
  order: CommandOrder;
  evidence: EvidenceBook;
}): Promise<{ meta: T; content: string | undefined }> {
  const { config, schema, call, order, evidence } = play;
  demandAllowed(order, call.runtime);
  const done = await runCommand(order, config, call.runtime);
  if (!done.ok) throw new WorkflowError(done.error);
  const { result, completedAt, stopped } = done.value;
  evidence.seen(callRecord(order, result, completedAt));
  if (stopped !== null) throw new WorkflowError(stopped);
  const missing = evidence.missing();
  if (missing.length > 0) throw evidenceRefusal(order.title, call.runtime.step, missing);
  const meta = await metaOf({ config, schema, call, order, result });
  if (!meta.ok) throw new WorkflowError(meta.error);
  return { meta: meta.value, content: result.output === "" ? undefined : result.output };
}
