import { RequestError } from "@agentclientprotocol/sdk";
import type { AgentOutcome } from "@uncaged/workflow-protocol";
import { faultInWords } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import { AgentDied } from "./acp-process.ts";

/** How a turn ended, according to the agent. */
export type TurnEnd = { outcome: AgentOutcome; reason: string };

const ENDED: TurnEnd = { outcome: "ok", reason: "it came to its end" };

const answer = z.object({ stopReason: z.string() });

/** What the answer to a prompt means. */
export function endOfAnswer(response: unknown): TurnEnd {
  const stopReason = answer.safeParse(response).data?.stopReason;
  switch (stopReason) {
    case "end_turn":
      return ENDED;
    case "cancelled":
      return { outcome: "cancelled", reason: "it cancelled the turn" };
    case "refusal":
      return { outcome: "denied", reason: "it refused to continue" };
    case "max_tokens":
      return { outcome: "context_overflow", reason: "its answer, or its context, became too long" };
    case "max_turn_requests":
      return { outcome: "crashed", reason: "it reached its own limit of model calls in one turn" };
    default:
      return {
        outcome: "crashed",
        reason: `it ended the turn for an unknown reason: ${stopReason}`,
      };
  }
}

/** The end of a turn in which the agent only reported an error; null: it did not. */
export function endOfWords(said: string): TurnEnd | null {
  const at = said.lastIndexOf("Error: ");
  if (at === -1) return null;
  const reason = said.slice(at, at + REASON_CHARS).toWellFormed();
  return { outcome: faultInWords(reason), reason };
}

/** What went wrong with a turn: an agent that died, or an error in answer to a request. Agents put their provider's
 *  words into its message or its data. */
export function endOfFault(thrown: unknown): TurnEnd {
  if (thrown instanceof AgentDied) {
    const { message: reason } = thrown;
    if (thrown.stoppedBy === "idle") return { outcome: "timeout", reason };
    return { outcome: faultInWords(reason), reason };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const data = thrown instanceof RequestError ? (thrown.data ?? null) : null;
  const details = data === null ? "" : ` (${JSON.stringify(data)})`;
  const reason = `${message}${details}`.slice(0, REASON_CHARS).toWellFormed();
  const locked = thrown instanceof RequestError && thrown.code === AUTH_REQUIRED;
  return { outcome: locked ? "auth" : faultInWords(reason), reason };
}

/** JSON-RPC code of the protocol for "authenticate first". */
const AUTH_REQUIRED = -32000;
const REASON_CHARS = 2_000;
