/** The tool calls of one turn.
 *
 *  1. Each is shown once when it starts and reported once when it ends, however often the agent mentions it.
 *  2. Memory does not grow with their number: of those that never end, the oldest are forgotten.
 *  3. A call that the policy refuses but that was made without asking is a breach: it cannot be undone, but its
 *     results must not count. */
import type { AgentEvent, ToolCallRecord, ToolKind } from "@uncaged/workflow-protocol";
import type { AgentStep, JudgedStep, PolicyVerdict } from "@uncaged/workflow-util-agent";
import { judgeCall } from "./judge-call.ts";
import { leftRunning } from "./left-running.ts";
import type { ToolCallNews } from "./session-update.ts";
import {
  newToolCall,
  noteNews,
  recordOf,
  shownName,
  subjectsOf,
  type ToolCall,
} from "./tool-call.ts";

export type ToolCalls = {
  news(news: ToolCallNews): void;
  /** The agent asks whether it may make a call; a person may have to be asked. */
  asked(news: ToolCallNews): Promise<PolicyVerdict>;
};

const MOST_OPEN = 1_000;
const MOST_ENDED = 10_000;

export function toolCalls(opts: {
  /** Of whose calls they are. */
  step: JudgedStep & Pick<AgentStep, "mayI">;
  commandInTitle: boolean;
  /** See `recordOf`. */
  shellsBeginIn: string | null;
  harmless: readonly string[];
  emit: (event: AgentEvent) => void;
  seen: (call: ToolCallRecord) => void;
  /** A breach of the policy (3), in one sentence. */
  onBreach: (reason: string) => void;
}): ToolCalls {
  const { step, commandInTitle, emit, seen, onBreach } = opts;
  const running = leftRunning();
  const open = new Map<string, ToolCall>();
  const ended = new Set<string>();
  const callOf = (news: ToolCallNews): ToolCall => {
    const call = open.get(news.toolCallId) ?? newToolCall(news.toolCallId, Date.now());
    noteNews(call, news);
    open.set(call.id, call);
    forgetOldest(open, MOST_OPEN);
    return call;
  };
  const show = (call: ToolCall): void => {
    if (call.shown) return;
    call.shown = true;
    const { id, input } = call;
    emit({ type: "tool", phase: "start", id, name: shownName(call), input: input ?? call.title });
  };
  const end = (call: ToolCall, completed: boolean): void => {
    open.delete(call.id);
    ended.add(call.id);
    forgetOldest(ended, MOST_ENDED);
    const record = recordOf(call, { ...opts, ok: completed, now: Date.now() });
    emit({ type: "tool", phase: "end", id: call.id, name: record.name, ok: record.ok });
    seen(record);
    const shell = call.shell === null ? null : { shell: call.shell.id, exitCode: call.exitCode };
    const later = running.ended(record, shell);
    if (later !== null) seen(later);
    if (call.asked || !hadEffect(call.kind, completed)) return;
    const verdict = judgeCall(step, call, { commandInTitle });
    if (!verdict.allowed) onBreach(`it did not ask, and ${verdict.reason}`);
  };
  return {
    news(news) {
      if (ended.has(news.toolCallId)) return;
      const call = callOf(news);
      const { status } = news;
      if (status === "in_progress" && !call.shown) call.startedAt = Date.now();
      if (status !== "pending" && status != null) show(call);
      if (status === "completed" || status === "failed") end(call, status === "completed");
    },
    async asked(news) {
      const call = callOf(news);
      call.asked = true;
      show(call);
      const tool = shownName(call);
      const judged = judgeCall(step, call, { commandInTitle });
      const subject = subjectsOf(call, { commandInTitle }).join(", ");
      const verdict = judged.asks === true ? await step.mayI({ name: tool, subject }) : judged;
      call.refused = !verdict.allowed;
      // A call that waits for permission has not begun.
      call.startedAt = Date.now();
      emit({ type: "permission", tool, allowed: verdict.allowed, reason: verdict.reason });
      return verdict;
    },
  };
}

/** A thought has none; a failed call has none either, except for a command and a call to the outside. */
function hadEffect(kind: ToolKind | null, completed: boolean): boolean {
  if (kind === "think") return false;
  return completed || kind === "execute" || kind === "fetch";
}

/** Maps and sets keep insertion order. */
function forgetOldest(kept: Map<string, unknown> | Set<string>, most: number): void {
  if (kept.size <= most) return;
  for (const key of kept.keys()) {
    kept.delete(key);
    return;
  }
}
