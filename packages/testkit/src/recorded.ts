import {
  type AdapterFn,
  AGENT_FAULTS,
  type AgentFault,
  END,
  FAULT_CODES,
  failure,
  SUSPEND,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { scripted } from "./scripted.ts";
import { fails, type ScriptedTurn, says } from "./scripted-turn.ts";

/** Agents that replay what was said in a real thread, and fail where a role failed, from the document that `thread
 *  show --json` prints. Throws `USAGE` for any other document. */
export function recorded(threadShow: unknown): AdapterFn {
  const turns = Map.groupBy(stepsOf(threadShow), ({ role }) => role);
  return scripted(
    Object.fromEntries(Array.from(turns, ([role, steps]) => [role, steps.map(turnOf)])),
  );
}

/** The route that the thread took, as `expectRoute` expects it: its roles, then `END` when it completed, `SUSPEND`
 *  while it waits for an answer. Throws `USAGE` for any other document. */
export function recordedRoute(threadShow: unknown): string[] {
  const roles = stepsOf(threadShow).flatMap(({ role, answer }) =>
    answer === null ? [role] : [SUSPEND, role],
  );
  const { result, suspended }: { result?: unknown; suspended?: unknown } = isRecord(threadShow)
    ? threadShow
    : {};
  if (isRecord(result) && result.returnCode === 0) return [...roles, END];
  return isRecord(suspended) ? [...roles, SUSPEND] : roles;
}

/** What people answered in the thread, for `answers` of `runWorkflow`. Throws `USAGE` for any other document. */
export function recordedAnswers(threadShow: unknown): string[] {
  return stepsOf(threadShow).flatMap(({ answer }) => (answer === null ? [] : [answer]));
}

type RecordedStep = {
  role: string;
  meta: Record<string, unknown>;
  content: string;
  childThread: string | null;
  /** How the role failed; null when it did not. */
  fault: AgentFault | null;
  /** The person's answer with which the role ran; null when a rule led to it. */
  answer: string | null;
};

function turnOf({ meta, content, childThread, fault }: RecordedStep): ScriptedTurn {
  if (fault !== null) return fails(String(meta.reason), FAULT_CODES[fault]);
  return says(meta, { content, childThread });
}

function stepsOf(document: unknown): RecordedStep[] {
  if (!isRecord(document) || !Array.isArray(document.steps))
    throw notAThread("it has no list `steps`");
  return document.steps.map((step: unknown, at) => {
    if (!isRecord(step)) throw notAThread(`steps[${at}] is not an object`);
    const { role, meta, content, childThread = null, outcome = "ok" } = step;
    if (typeof role !== "string") throw notAThread(`steps[${at}].role is not text`);
    if (!isRecord(meta)) throw notAThread(`steps[${at}].meta is not an object`);
    if (typeof content !== "string") throw notAThread(`steps[${at}].content is not text`);
    if (childThread !== null && typeof childThread !== "string") {
      throw notAThread(`steps[${at}].childThread is neither text nor null`);
    }
    const fault = AGENT_FAULTS.find((each) => each === outcome) ?? null;
    if (fault === null && outcome !== "ok") throw notAThread(`steps[${at}].outcome is unknown`);
    return { role, meta, content, childThread, fault, answer: answerIn(step.route) };
  });
}

function answerIn(route: unknown): string | null {
  if (!isRecord(route) || route.condition !== "ANSWER") return null;
  return typeof route.prompt === "string" ? route.prompt : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notAThread(why: string): WorkflowError {
  return new WorkflowError(
    failure(
      "USAGE",
      `this is not what \`thread show --json\` prints: ${why}`,
      "parse its output with JSON.parse first",
    ),
  );
}
