/** The turns of one step, until there is a result that counts.
 *
 *  1. A turn that failed ends the step. One exception: when the session to resume is lost, the role starts
 *     afresh, once, with all that it would have been told the first time.
 *  2. Evidence comes first: an answer without it is a claim. What is missing, or fails a check of the engine, is said
 *     at most `evidenceTurns` times.
 *  3. Then the answer: as it is, corrected by the agent in at most `repairs` turns, extracted by a model.
 *  4. Every turn is in the record, whatever becomes of it.
 *  5. As long as workers of the step are under way, an answer is not the last: their ends are the next messages. */
import {
  agentError,
  EXIT,
  exitCodeOf,
  type Failure,
  failureFrom,
  type JsonObject,
  type JsonValue,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import { evidenceWords } from "@uncaged/workflow-util/tool-rules";
import type { z } from "zod";
import { readAnswer } from "../answer/read-answer.ts";
import { redactJson } from "../answer/redact-json.ts";
import { retryAfterInWords } from "../answer/retry-after-in-words.ts";
import type { AgentConversation, TurnResult } from "../driver/agent-driver.ts";
import type { EvidenceBook } from "../evidence/evidence-book.ts";
import { checkRefusal, evidenceRefusal } from "../evidence/evidence-refusal.ts";
import type { Refusals } from "../evidence/refusals.ts";
import type { StepDeadline } from "../process/step-deadline.ts";
import { checkPrompt, evidencePrompt, repairPrompt } from "../prompt/follow-up-prompts.ts";
import type { ResumableSession } from "./resumable-session.ts";
import type { StepRecord } from "./step-record.ts";

export type TurnsRequest<T> = {
  /** Name of the agent, for messages. */
  agent: string;
  schema: z.ZodType<T>;
  outputSchema: JsonObject;
  /** The driver's name for it; null: the result is read from the agent's text. */
  handInTool: string | null;
  repairs: number;
  evidenceTurns: number;
  runtime: Pick<WorkflowRuntime, "cas" | "checkFiles" | "extract" | "signal" | "step">;
  deadline: StepDeadline;
  record: StepRecord;
  evidence: EvidenceBook;
  refusals: Pick<Refusals, "inWords">;
  redact: (text: string) => string;
  /** Waits for the next message to a coordinator; null: there is none any more. Left out: nobody coordinates. */
  news?: ((turn: TurnResult) => Promise<string | null>) | undefined;
  /** The session to resume; null: the role starts afresh. */
  session: ResumableSession | null;
  /** Opens a conversation in that session, or a new one, and returns the prompt to begin with. */
  begin(
    from: ResumableSession | null,
  ): Promise<{ conversation: AgentConversation; prompt: string }>;
};

/** The agent's final result, with secrets removed. */
export type TurnsResult<T> = { meta: T; text: string };

/** Rejects with an error made by `agentError`, without the run record; with what the store threw; or with the code
 *  `EVIDENCE_MISSING`. No conversation is left open. */
export async function runTurns<T>(request: TurnsRequest<T>): Promise<TurnsResult<T>> {
  let { conversation, prompt } = await beginWithin(request, request.session);
  try {
    let turn = await takeTurn(request, conversation, prompt);
    if (turn.sessionLost && request.session !== null) {
      request.record.note(`the earlier session could not be resumed: ${turn.reason}`);
      await conversation.close();
      ({ conversation, prompt } = await beginWithin(request, null));
      turn = await takeTurn(request, conversation, prompt);
    }
    return await untilAccepted(request, conversation, turn);
  } finally {
    await conversation.close();
  }
}

/** A turn that fails because time ran out has not failed by itself. */
async function beginWithin<T>(
  { agent, begin, deadline, runtime }: TurnsRequest<T>,
  from: ResumableSession | null,
): Promise<{ conversation: AgentConversation; prompt: string }> {
  if (deadline.signal.aborted) throw stopped(agent, runtime.signal);
  try {
    return await begin(from);
  } catch (thrown) {
    throw deadline.signal.aborted ? stopped(agent, runtime.signal) : thrown;
  }
}

async function untilAccepted<T>(
  request: TurnsRequest<T>,
  conversation: AgentConversation,
  first: TurnResult,
): Promise<TurnsResult<T>> {
  let turn = first;
  let evidenceTurns = 0;
  let repairs = 0;
  while (true) {
    if (turn.outcome !== "ok") throw turnFailed(request, turn);
    const news = await newsAfter(request, turn);
    if (news !== null) {
      turn = await takeTurn(request, conversation, news);
      continue;
    }
    const missing = request.evidence.missing();
    if (missing.length > 0) {
      if (evidenceTurns >= request.evidenceTurns) {
        throw evidenceRefusal(request.agent, request.runtime.step, missing);
      }
      evidenceTurns++;
      const what = missing.map(evidenceWords).join("; ");
      request.record.note(`not accepted, evidence was missing: ${what}`);
      const prompt = evidencePrompt(missing, request.refusals.inWords());
      turn = await takeTurn(request, conversation, prompt);
      continue;
    }
    const faulty = (await request.runtime.checkFiles?.()) ?? null;
    if (faulty !== null) {
      if (evidenceTurns >= request.evidenceTurns)
        throw checkRefusal(request.agent, request.runtime.step, faulty);
      evidenceTurns++;
      request.record.note("not accepted, a check of the files failed");
      turn = await takeTurn(request, conversation, checkPrompt(request.redact(faulty)));
      continue;
    }
    const answer = answerOf(request, turn);
    const read = await readAnswer(answer, request.schema);
    if (read.ok) return { meta: read.value, text: answer.text };
    if (repairs >= request.repairs) return extracted(request, { answer, turn, misfit: read.error });
    repairs++;
    request.record.note(`the answer did not fit and was requested again: ${read.error.message}`);
    const prompt = repairPrompt(read.error.message, request, request.refusals.inWords());
    turn = await takeTurn(request, conversation, prompt);
  }
}

async function newsAfter<T>(
  { agent, news, deadline, runtime }: TurnsRequest<T>,
  turn: TurnResult,
): Promise<string | null> {
  try {
    return (await news?.(turn)) ?? null;
  } catch (thrown) {
    throw deadline.signal.aborted ? stopped(agent, runtime.signal) : thrown;
  }
}

async function takeTurn<T>(
  { deadline, runtime, record, agent }: TurnsRequest<T>,
  conversation: AgentConversation,
  prompt: string,
): Promise<TurnResult> {
  if (deadline.signal.aborted) throw stopped(agent, runtime.signal);
  const turn = await conversation.turn(prompt);
  record.turn(prompt, turn);
  if (deadline.signal.aborted) throw stopped(agent, runtime.signal);
  return turn;
}

function answerOf<T>(
  { redact }: TurnsRequest<T>,
  { structured, text }: TurnResult,
): { structured: JsonValue | undefined; text: string } {
  return {
    structured: structured === undefined ? undefined : redactJson(structured, redact),
    text: redact(text),
  };
}

/** The last resort: a model reads the result from what was said and submitted. */
async function extracted<T>(
  request: TurnsRequest<T>,
  {
    answer,
    turn,
    misfit,
  }: { answer: ReturnType<typeof answerOf>; turn: TurnResult; misfit: Failure },
): Promise<TurnsResult<T>> {
  const { runtime, schema, record } = request;
  const handedIn = answer.structured === undefined ? "" : JSON.stringify(answer.structured);
  const text = [answer.text, handedIn].filter((each) => each.trim() !== "").join("\n\n");
  if (text === "" && turn.denials > 0) {
    throw turnFailed(request, { outcome: "denied", reason: request.refusals.inWords() });
  }
  if (text === "") throw invalidOutput(request, `${misfit.message}; it said nothing`);
  const hash = await runtime.cas.put(text);
  try {
    const meta = await runtime.extract(schema, hash);
    record.note("the result was extracted from the answer by a model");
    return { meta, text };
  } catch (thrown) {
    if (runtime.signal.aborted) throw stopped(request.agent, runtime.signal);
    const { code, message } = failureFrom(thrown, "INVALID_OUTPUT");
    if (exitCodeOf(code) === EXIT.storage) throw thrown;
    throw invalidOutput(request, `${misfit.message}; nor could it be extracted: ${message}`);
  }
}

function turnFailed<T>(
  { agent }: TurnsRequest<T>,
  { outcome, reason, retryAfterMs: said }: Pick<TurnResult, "outcome" | "reason" | "retryAfterMs">,
): Error {
  // Nobody stopped the thread, so an agent that reports itself cancelled has failed.
  const fault = outcome === "ok" || outcome === "cancelled" ? "crashed" : outcome;
  const asked = said ?? (fault === "rate_limited" ? retryAfterInWords(reason) : null);
  const until = asked === null ? "" : ` (to be tried again after ${Math.ceil(asked / 1000)} s)`;
  const message = `${agent} ${FAULT_WORDS[fault]}: ${reason}${until}`;
  return agentError(fault, { message, hint: FAULT_HINTS[fault], run: null, retryAfterMs: asked });
}

const FAULT_WORDS = {
  invalid_output: "returned no usable answer",
  denied: "was not allowed to do what it wanted to do",
  context_overflow: "was given more than its model can read",
  rate_limited: "was rate-limited by its provider",
  auth: "was refused access by its provider",
  crashed: "failed",
  timeout: "took too long and was ended",
} as const;

const FAULT_HINTS = {
  invalid_output: "state the result in the role's prompt, or simplify its schema",
  denied: "allow it in the role's `tools`, or state in the role's prompt what it must not do",
  context_overflow: "lower `budgetChars` where the agent is bound, or make the task shorter",
  rate_limited:
    "wait, then continue from the last step: uncaged-workflow thread fork <id>; or give the role a `retry`",
  auth: "log in, or set the agent's key; see: uncaged-workflow agent list",
  crashed: "see the agent's own words above, and: uncaged-workflow agent list",
  timeout: "if it may take longer, raise `timeoutMs` or `idleTimeoutMs` where the agent is bound",
} as const;

function stopped(agent: string, thread: AbortSignal): Error {
  if (thread.aborted) {
    const message = `${agent} was ended because the thread was stopped`;
    return agentError("cancelled", { message, hint: "", run: null });
  }
  const message = `${agent} did not finish within the step's time and was ended`;
  const hint = "if it may take longer, raise `timeoutMs` where the agent is bound";
  return agentError("timeout", { message, hint, run: null });
}

function invalidOutput<T>({ agent, runtime }: TurnsRequest<T>, why: string): Error {
  const { role, round } = runtime.step;
  const message = `the answer of ${agent} does not fit the schema of role ${role} (step ${round}): ${why}`;
  return agentError("invalid_output", { message, hint: FAULT_HINTS.invalid_output, run: null });
}
