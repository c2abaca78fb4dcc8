import type { StepDirective } from "@uncaged/workflow-protocol";
import { type Chain, roleStates } from "./chain.ts";

/** Condition of a route that no rule produced: a person answered the role's question. */
export const ANSWER = "ANSWER";

/** Condition of a route that no rule produced: a coordinator had its worker go on, which had come to its end. */
export const MESSAGE = "MESSAGE";

/** Whether somebody had the same role go on, with words of theirs. */
export function isSaid(condition: string): boolean {
  return condition === ANSWER || condition === MESSAGE;
}

/** The role that asked runs again, in its own session and directory, with the answer as its prompt. */
export function answerDirective(
  { role, text }: { role: string; text: string },
  chain: Chain,
  condition: typeof ANSWER | typeof MESSAGE = ANSWER,
): StepDirective {
  const asked = roleStates(chain).findLast((state) => state.node.payload.role === role);
  return {
    route: { from: role, to: role, condition, rule: null, prompt: text },
    location: asked?.node.payload.cwd ?? null,
    previousSession: asked?.node.payload.session ?? null,
    agent: asked?.node.payload.agent?.binding ?? null,
  };
}
