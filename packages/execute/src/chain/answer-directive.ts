import type { StepDirective } from "@uncaged/workflow-protocol";
import { type Chain, roleStates } from "./chain.ts";

/** Condition of a route that no rule produced: a person answered the role's question. */
export const ANSWER = "ANSWER";

/** The role that asked runs again, in its own session and directory, with the answer as its prompt. */
export function answerDirective(
  { role, text }: { role: string; text: string },
  chain: Chain,
): StepDirective {
  const asked = roleStates(chain).findLast((state) => state.node.payload.role === role);
  return {
    route: { from: role, to: role, condition: ANSWER, rule: null, prompt: text },
    location: asked?.node.payload.cwd ?? null,
    previousSession: asked?.node.payload.session ?? null,
    agent: asked?.node.payload.agent?.binding ?? null,
  };
}
