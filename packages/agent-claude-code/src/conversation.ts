/** The turns of one step, in one session and, as long as it lives, in one process.
 *
 *  1. The process is started with the first turn, and again, in the same session, if it is gone by the next one.
 *  2. A turn ends with the program's `result`, which is judged, or with the program itself.
 *  3. A turn that did not end well leaves no process: whatever it had under way is ended with it.
 *  4. An abort goes through the protocol first, which ends a running tool at once and keeps the session intact; the
 *     stop procedure follows in any case. */
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent, Failure, JsonObject, Result } from "@uncaged/workflow-protocol";
import type { AgentConversation, AgentStep, TurnResult } from "@uncaged/workflow-util-agent";
import type { ClaudeCodeConfig } from "./claude-code-config.ts";
import { type ClaudeProcess, type ProcessEnd, startClaude } from "./claude-process.ts";
import { answerControl, type ControlAnswer, type ControlRules } from "./control-request.ts";
import { judgeEnd, judgeResult, type Verdict } from "./judge-turn.ts";
import { turnUsage } from "./run-usage.ts";
import type {
  ControlRequest,
  PlanLimitMessage,
  ResultMessage,
  RetryMessage,
  StreamMessage,
} from "./stream-message.ts";
import { type TurnReader, turnReader } from "./turn-reader.ts";

/** The program accepts no more than this, and otherwise exits without saying why. */
const MAX_PROMPT_BYTES = 10_000_000;
const INTERRUPT_MS = 1_000;
/** How often in a step the agent is stopped from finishing because evidence is missing. */
const MOST_HELD_BACK = 3;

export function openConversation(step: AgentStep, config: ClaudeCodeConfig): AgentConversation {
  let { session, previousRawUsage: rawUsage } = step;
  let claude: ClaudeProcess | null = null;
  let turn: RunningTurn | null = null;
  let heldBack = 0;
  /** When the plan's limit that turned us away is reset, Unix milliseconds. */
  let resetsAtMs: number | null = null;
  let endRest = (): void => {};
  const rules: ControlRules = {
    step,
    holdBack: () => {
      const missing = heldBack < MOST_HELD_BACK ? step.stillMissing() : null;
      if (missing !== null) heldBack++;
      return missing;
    },
    now: Date.now,
  };

  const onMessage = (message: StreamMessage): void => {
    switch (message.type) {
      case "system":
        if (message.subtype === "init") session = message.session_id;
        else step.emit(retryEvent(message));
        return;
      case "rate_limit_event":
        resetsAtMs = resetOf(message);
        return;
      case "control_request":
        answer(message);
        return;
      case "result":
        session = message.session_id ?? session;
        turn?.finish(message);
        return;
      default:
        turn?.reader.read(message);
    }
  };
  const answer = (request: ControlRequest): void => {
    const answered = answerControl(request, rules);
    if (answered.asks === null) give(answered);
    else void askPerson(answered.asks);
  };
  const askPerson = async ({
    decided,
    ...call
  }: NonNullable<ControlAnswer["asks"]>): Promise<void> => {
    // The silence is ours.
    const goOn = claude?.rest();
    const permission = await step.mayI(call);
    goOn?.();
    give(decided(permission));
  };
  const give = ({ reply, decision, seen, begins }: ControlAnswer): void => {
    void claude?.say(reply);
    if (decision !== null) {
      const { id, tool, allowed, reason } = decision;
      step.emit({ type: "permission", tool, allowed, reason });
      if (!allowed) turn?.refused.add(id);
    }
    if (begins !== null) turn?.reader.begins(begins);
    if (seen !== null) turn?.reader.reported(seen);
  };

  const running = async (): Promise<Result<ClaudeProcess, Failure>> => {
    if (claude?.alive() === true) return { ok: true, value: claude };
    // Once there is a copy, that is the session.
    const copiesSession = step.copiesSession && session === step.session;
    const started = await startClaude({ ...step, session, copiesSession }, config, onMessage);
    if (started.ok) claude = started.value;
    return started;
  };
  const finished = (verdict: Verdict, result: ResultMessage | null, ran: RunningTurn | null) => {
    const counted = result === null ? null : turnUsage(result, rawUsage);
    rawUsage = counted?.rawUsage ?? rawUsage;
    if (counted?.usage != null) step.emit({ type: "usage", usage: counted.usage });
    return {
      ...verdict,
      ...(verdict.outcome === "rate_limited" && resetsAtMs !== null
        ? { retryAfterMs: Math.max(0, resetsAtMs - Date.now()) }
        : {}),
      session,
      text: ran?.reader.lastText() || (result?.result ?? ""),
      structured: result?.structured_output,
      usage: counted?.usage ?? null,
      rawUsage,
      denials: ran?.refused.size ?? 0,
    } satisfies TurnResult;
  };

  return {
    async turn(prompt) {
      const refusal = refusedPrompt(prompt, step.signal);
      if (refusal !== null) return finished(refusal, null, null);
      const process = await running();
      if (!process.ok) return finished(notStarted(process.error), null, null);
      const ran = runningTurn(step);
      turn = ran;
      endRest();
      void process.value.say(userMessage(prompt));
      const end = await endOfTurn(process.value, ran, step.signal);
      endRest = process.value.rest();
      const result = "result" in end ? end.result : null;
      const verdict = await verdictOn(end, process.value, {
        modelError: ran.reader.modelError(),
        stopped: step.signal.aborted,
      });
      if (verdict.outcome !== "ok") await process.value.stop();
      turn = null;
      return finished(verdict, result, ran);
    },
    async close() {
      await (step.signal.aborted ? claude?.stop() : claude?.quit());
    },
  };
}

type RunningTurn = {
  reader: TurnReader;
  /** Ids of the calls that the policy refused. */
  refused: Set<string>;
  finish(result: ResultMessage): void;
  result: Promise<ResultMessage>;
};

function runningTurn({ emit, seen }: AgentStep): RunningTurn {
  const { promise: result, resolve: finish } = Promise.withResolvers<ResultMessage>();
  const refused = new Set<string>();
  const wasRefused = (id: string): boolean => refused.has(id);
  const reader = turnReader({ emit, seen, wasRefused, now: Date.now });
  return { reader, refused, finish, result };
}

async function endOfTurn(
  claude: ClaudeProcess,
  { result }: RunningTurn,
  signal: AbortSignal,
): Promise<{ result: ResultMessage } | Awaited<ClaudeProcess["ended"]>> {
  const onAbort = async (): Promise<void> => {
    void claude.interrupt();
    await Promise.race([result, claude.ended, sleep(INTERRUPT_MS, null, { ref: false })]);
    await claude.stop();
  };
  const abort = (): void => void onAbort();
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    // What was said before the end is read before the end: a result counts even if the program is gone.
    return await Promise.race([result.then((value) => ({ result: value })), claude.ended]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function verdictOn(
  end: { result: ResultMessage } | ProcessEnd,
  claude: ClaudeProcess,
  { modelError, stopped }: { modelError: string | null; stopped: boolean },
): Promise<Verdict> {
  if (!("result" in end)) return judgeEnd(end, { stopped });
  const verdict = judgeResult(end.result, { modelError });
  const limit = claude.stoppedBy();
  // Told to stop because its time was up, it reports its own error.
  const late = verdict.outcome !== "ok" && (limit === "idle" || limit === "total");
  return late ? judgeEnd(await claude.ended, { stopped }) : verdict;
}

function refusedPrompt(prompt: string, signal: AbortSignal): Verdict | null {
  if (signal.aborted) {
    return { outcome: "cancelled", reason: "stopped before the turn began", sessionLost: false };
  }
  const bytes = Buffer.byteLength(prompt);
  if (bytes <= MAX_PROMPT_BYTES) return null;
  const reason = `the prompt has ${bytes} bytes, Claude Code reads at most ${MAX_PROMPT_BYTES}`;
  return { outcome: "context_overflow", reason, sessionLost: false };
}

function notStarted({ code, message }: Failure): Verdict {
  const outcome = code === "THREAD_ABORTED" ? "cancelled" : "crashed";
  return { outcome, reason: message, sessionLost: false };
}

/** Claude Code treats a text that begins with a slash as a command, which never reaches the model. */
function userMessage(prompt: string): JsonObject {
  const text = prompt.trimStart().startsWith("/") ? `The task:\n\n${prompt}` : prompt;
  return { type: "user", message: { role: "user", content: [{ type: "text", text }] } };
}

function resetOf({ rate_limit_info: { status, resetsAt } }: PlanLimitMessage): number | null {
  return status === "rejected" && resetsAt != null ? resetsAt * 1_000 : null;
}

/** It waits as long as its provider asks for, and reports only the wait. */
function retryEvent({ error, error_status, retry_delay_ms: delayMs }: RetryMessage): AgentEvent {
  const reason = error_status == null ? error : `${error} (${error_status})`;
  const isTurnedAway = error_status === 429 || error_status === 529;
  return { type: "retry", reason, delayMs, ...(isTurnedAway ? { retryAfterMs: delayMs } : {}) };
}
