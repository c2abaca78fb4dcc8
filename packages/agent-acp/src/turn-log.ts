/** What an agent says and does in one turn.
 *
 *  1. Its words count only in its own session; its tool calls and permission requests also count in sessions that it
 *     opened.
 *  2. An agent may hide that its model failed: if it reveals that elsewhere, the turn has failed. */
import type { JsonObject } from "@uncaged/workflow-protocol";
import { type AgentStep, faultInWords } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import type { AcpProgram } from "./acp-program.ts";
import { lastMessage } from "./last-message.ts";
import type { PermissionRequest, SessionNews } from "./session-update.ts";
import { textFlow } from "./text-flow.ts";
import { toolCalls } from "./tool-calls.ts";
import type { TurnEnd } from "./turn-end.ts";

export type TurnLog = {
  news(news: SessionNews): void;
  /** Null: the turn is being cancelled, nothing more may be done. */
  mayI(request: PermissionRequest): Promise<boolean | null>;
  /** What it said last. */
  text(): string;
  denials(): number;
  /** For the session so far, as last reported. */
  costUsd(): number | null;
  /** Why the turn does not count, although the agent says that it ended well. */
  fault(): TurnEnd | null;
  close(): void;
};

export function turnLog(opts: {
  program: Pick<AcpProgram, "commandInTitle" | "freshShells" | "harmless">;
  step: Pick<AgentStep, "cwd" | "home" | "storageRoot" | "policy" | "mayI" | "emit" | "seen">;
  session: string;
  /** The policy was breached: the turn must be cancelled. */
  onBreach: () => void;
  /** The turn is being cancelled. */
  signal: AbortSignal;
}): TurnLog {
  const { step, session, onBreach, signal } = opts;
  const message = lastMessage();
  const flow = textFlow(step.emit);
  let breach: string | null = null;
  let systemError = false;
  let lastError = "";
  let denials = 0;
  let costUsd: number | null = null;
  const calls = toolCalls({
    step,
    seen: step.seen,
    commandInTitle: opts.program.commandInTitle,
    shellsBeginIn: opts.program.freshShells ? step.cwd : null,
    harmless: opts.program.harmless,
    emit: (event) => {
      flow.flush();
      step.emit(event);
    },
    onBreach: (reason) => {
      breach ??= reason;
      onBreach();
    },
  });
  const noteMeta = (meta: JsonObject | null): void => {
    const { threadStatus, error } = codexMeta.safeParse(meta).data?.codex ?? {};
    if (threadStatus?.type === "systemError") systemError = true;
    if (error == null) return;
    lastError = [error.message, error.additionalDetails].filter(Boolean).join(": ");
    if (error.willRetry) step.emit({ type: "retry", reason: lastError, delayMs: 0 });
  };
  return {
    news({ sessionId, update }) {
      if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") {
        message.interrupted();
        calls.news(update);
      }
      if (sessionId !== session) return;
      if (update.sessionUpdate === "agent_message_chunk") {
        message.push(update.content.text, update.messageId ?? null);
        flow.push(update.content.text);
      }
      if (update.sessionUpdate === "usage_update") costUsd = update.cost.amount;
      if (update.sessionUpdate === "session_info_update") noteMeta(update._meta);
    },
    async mayI({ toolCall }) {
      if (signal.aborted) return null;
      const { allowed } = await calls.asked(toolCall);
      // It may have been stopped while a person was asked.
      if (signal.aborted) return null;
      if (!allowed) denials++;
      return allowed;
    },
    text: message.text,
    denials: () => denials,
    costUsd: () => costUsd,
    fault() {
      if (breach !== null) return { outcome: "denied", reason: breach };
      if (!systemError) return null;
      const words = `${lastError} ${message.text().slice(-ERROR_CHARS)}`.trim();
      return { outcome: faultInWords(words), reason: words };
    },
    close: flow.flush,
  };
}

const ERROR_CHARS = 2_000;

const codexMeta = z.object({
  codex: z.object({
    threadStatus: z.object({ type: z.string() }).nullish().catch(null),
    error: z
      .object({
        message: z.string(),
        additionalDetails: z.string().nullish().catch(null),
        willRetry: z.boolean().catch(false),
      })
      .nullish()
      .catch(null),
  }),
});
