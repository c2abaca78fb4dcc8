import type { StepScope } from "@uncaged/workflow-protocol";
import { fenced } from "./fenced.ts";

/** Which role the agent plays in which step, where it works, and what the table or a person tells it to do. */
export function turnText(
  threadId: string,
  { role, round, cwd, route }: Pick<StepScope, "role" | "round" | "cwd" | "route">,
): string {
  const where = `You play the role \`${role}\` in step ${round} of thread ${threadId}. Work in ${cwd}.`;
  if (route === null || route.prompt === null || route.prompt === "") return where;
  // Only a person's answer and a poke have no rule.
  const byPerson = route.promptFrom === "person" || route.rule === null;
  const who = byPerson ? "A person says to you:" : "For this step:";
  return `${where}\n\n${who}\n\n${fenced(route.prompt, "text")}`;
}
