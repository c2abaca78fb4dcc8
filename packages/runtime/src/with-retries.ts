/** Runs a role once, within its time limit, and again when it failed in a way that is worth a retry.
 *
 *  1. A failed attempt is not lost: its cost is added to the step, and the step's notes say why it failed.
 *  2. Only failures of the agent are retried, not a broken store or children nested too deep.
 *  3. Stopping the thread also ends the wait between attempts.
 *  4. The role's time limit applies to each attempt; what is left of a time budget applies to all of them together.
 *  5. Part of each wait is random, so that roles rejected together do not all come back together.
 *  6. What the provider asks for (`Retry-After`) is waited for in full, unless that is longer than one attempt may take:
 *     then the attempt was the last. */
import {
  AgentError,
  type AgentFault,
  agentError,
  agentFaultOf,
  failedRunOf,
  failureFrom,
  type RetryPolicy,
  type RoleOutput,
  type StepRun,
  sumUsage,
  type ThreadContext,
  timerMs,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import type { RunRole } from "./bind-roles.ts";
import { sleep } from "./sleep.ts";

/** Time for a role that timed out to end its processes. */
const GRACE_MS = 10_000;
const DEFAULT_BACKOFF_MS = 1_000;
const DEFAULT_MAX_BACKOFF_MS = 60_000;
/** The longest that a provider may ask for when the role has no time limit. */
const LONGEST_ASKED_MS = 3_600_000;
const MOST_SPREAD_MS = 1_000;
const WORTH_A_TRY: readonly AgentFault[] = ["rate_limited", "timeout", "crashed"];

export type RetryLimits = {
  runtime: WorkflowRuntime;
  /** null: no limit. */
  timeLeftMs: number | null;
  /** From 0 to below 1. */
  random?: () => number;
};

/** An attempt that returned nothing. */
type FailedTry = {
  outcome: AgentFault;
  reason: string;
  run: StepRun | null;
  retryAfterMs: number | null;
};

/** Rejects with an `AgentError` that sums up all attempts, or with the error if it is not the agent's. */
export async function withRetries(
  runRole: RunRole,
  ctx: ThreadContext,
  { runtime, timeLeftMs, random = Math.random }: RetryLimits,
): Promise<RoleOutput> {
  const { timeoutMs = Number.POSITIVE_INFINITY, retry } = runtime.step.rules ?? {};
  const overMs = performance.now() + (timeLeftMs ?? Number.POSITIVE_INFINITY);
  const failed: FailedTry[] = [];
  while (true) {
    const limitMs = Math.min(timeoutMs, Math.ceil(overMs - performance.now()));
    const tried = await tryOnce(runRole, ctx, { runtime, limitMs });
    if (tried.ok) return withFailedTries(tried.output, failed);
    failed.push(tried.failed);
    const mostMs = longestDelay(retry, tried.failed.outcome, failed.length);
    const { retryAfterMs } = tried.failed;
    const delayMs = mostMs === null ? null : delayOf({ mostMs, retryAfterMs, timeoutMs, random });
    if (delayMs === null || performance.now() + delayMs >= overMs) {
      throw summedUp(failed, tried.cause);
    }
    const asked = retryAfterMs === null ? {} : { retryAfterMs };
    runtime.emit({ type: "retry", reason: wordsOf(tried.failed), delayMs, ...asked });
    const { signal } = runtime;
    await (runtime.standBack?.({ delayMs, signal }) ?? sleep(delayMs, signal));
  }
}

type Try = { ok: true; output: RoleOutput } | { ok: false; failed: FailedTry; cause: unknown };

async function tryOnce(
  runRole: RunRole,
  ctx: ThreadContext,
  { runtime, limitMs }: { runtime: WorkflowRuntime; limitMs: number },
): Promise<Try> {
  try {
    return { ok: true, output: await timed(runRole, ctx, { runtime, limitMs }) };
  } catch (cause) {
    if (runtime.signal.aborted) throw cause;
    const fault = agentFaultOf(cause);
    if (fault === null) throw cause;
    const { message } = failureFrom(cause, "AGENT_FAILED");
    const { outcome, retryAfterMs } = fault;
    const failed = { outcome, reason: message, run: failedRunOf(fault.run), retryAfterMs };
    return { ok: false, failed, cause };
  }
}

/** The role's own signal also aborts when its time is up. A role that ignores it is abandoned. */
async function timed(
  runRole: RunRole,
  ctx: ThreadContext,
  { runtime, limitMs }: { runtime: WorkflowRuntime; limitMs: number },
): Promise<RoleOutput> {
  if (limitMs === Number.POSITIVE_INFINITY) return runRole(ctx, runtime);
  const limit = new AbortController();
  const { promise: leftBehind, reject } = Promise.withResolvers<never>();
  const outOfTime = (run: StepRun | null): AgentError =>
    agentError("timeout", {
      message: `role ${runtime.step.role} did not finish within ${limitMs} ms`,
      hint: "raise the role's time limit, or have it do less",
      run,
    });
  let grace: NodeJS.Timeout | undefined;
  const timer = setTimeout(() => {
    limit.abort(outOfTime(null));
    grace = setTimeout(() => reject(outOfTime(null)), GRACE_MS);
  }, timerMs(limitMs));
  const signal = AbortSignal.any([runtime.signal, limit.signal]);
  try {
    return await Promise.race([runRole(ctx, { ...runtime, signal }), leftBehind]);
  } catch (thrown) {
    if (!limit.signal.aborted || runtime.signal.aborted) throw thrown;
    throw outOfTime(failedRunOf(agentFaultOf(thrown)?.run));
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
  }
}

/** Null: not worth another attempt, or there were enough. */
function longestDelay(
  retry: RetryPolicy | undefined,
  outcome: AgentFault,
  tries: number,
): number | null {
  if (retry === undefined || tries > retry.attempts) return null;
  if (!(retry.on ?? WORTH_A_TRY).includes(outcome)) return null;
  const { backoffMs = DEFAULT_BACKOFF_MS, maxBackoffMs = DEFAULT_MAX_BACKOFF_MS } = retry;
  return Math.min(maxBackoffMs, backoffMs * 2 ** (tries - 1));
}

/** Null: the provider asks for longer than an attempt may take. */
function delayOf({
  mostMs,
  retryAfterMs,
  timeoutMs,
  random,
}: {
  mostMs: number;
  retryAfterMs: number | null;
  timeoutMs: number;
  random: () => number;
}): number | null {
  const own = halfToFull(mostMs, random);
  if (retryAfterMs === null) return own;
  const longestMs = timeoutMs === Number.POSITIVE_INFINITY ? LONGEST_ASKED_MS : timeoutMs;
  if (retryAfterMs > longestMs) return null;
  const spreadMs = Math.min(MOST_SPREAD_MS, retryAfterMs / 4) * random();
  return Math.max(own, Math.ceil(retryAfterMs + spreadMs));
}

function halfToFull(delayMs: number, random: () => number): number {
  return Math.round((delayMs * (1 + random())) / 2);
}

function withFailedTries(output: RoleOutput, failed: readonly FailedTry[]): RoleOutput {
  if (failed.length === 0 || output.run == null) return output;
  return { ...output, run: summedRun([...failed.map((each) => each.run), output.run], failed) };
}

function summedUp(failed: readonly FailedTry[], cause: unknown): AgentError {
  const last = failed.at(-1);
  const reason = failureFrom(cause, "AGENT_FAILED");
  const runs = failed.map((each) => each.run);
  return new AgentError(reason, {
    outcome: last?.outcome ?? "crashed",
    run: summedRun(runs, failed.slice(0, -1)),
    retryAfterMs: last?.retryAfterMs,
  });
}

/** The last record, counted from the start of the first attempt, with the usage of all attempts. */
function summedRun(
  runs: readonly (StepRun | null)[],
  failed: readonly FailedTry[],
): StepRun | null {
  const known = runs.filter((run) => run !== null);
  const last = known.at(-1);
  if (last === undefined) return null;
  const notes = failed.map((each, at) => `try ${at + 1} failed: ${wordsOf(each)}`);
  return {
    ...last,
    startedAt: known[0]?.startedAt ?? last.startedAt,
    usage: known.map((run) => run.usage).reduce(sumUsage, null),
    evidence: [...new Set(known.flatMap((run) => run.evidence))],
    ...(notes.length === 0 ? {} : { notes: [...notes, ...(last.notes ?? [])] }),
  };
}

function wordsOf({ outcome, reason }: FailedTry): string {
  return `${outcome}: ${reason}`;
}
