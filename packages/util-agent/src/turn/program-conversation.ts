import type { JsonValue } from "@uncaged/workflow-protocol";
import type { AgentConversation, AgentStep, TurnResult } from "../driver/agent-driver.ts";

/** Where a turn continues from. */
export type TurnStart = {
  /** The agent's session; null: a new one. */
  session: string | null;
  /** The agent's own counters after the turn before. */
  rawUsage: JsonValue | null;
  /** Turns before this one in the same conversation. */
  turns: number;
};

/** Turns of an agent whose program is started for each of them and ends with it. All that is kept in between is
 *  the agent's own session, so each turn continues from what the one before returned. */
export function programConversation(
  { session, previousRawUsage }: Pick<AgentStep, "session" | "previousRawUsage">,
  takeTurn: (prompt: string, start: TurnStart) => Promise<TurnResult>,
): AgentConversation {
  let start: TurnStart = { session, rawUsage: previousRawUsage, turns: 0 };
  return {
    async turn(prompt) {
      const result = await takeTurn(prompt, start);
      const { session, rawUsage } = result;
      start = { session, rawUsage, turns: start.turns + 1 };
      return result;
    },
    // Each turn ended its own processes.
    close: async () => {},
  };
}
