/** What an agent is told after a turn that was not enough, in the same session. */
import { evidenceWords, type MissingEvidence } from "@uncaged/workflow-util/tool-rules";

/** Also for agents that can be held before they stop. */
export function notDoneYet(missing: readonly MissingEvidence[]): string {
  return [
    "You are not done yet. Your result is accepted only once this was seen to happen:",
    missing.map((each) => `- ${evidenceWords(each)}`).join("\n"),
    "Do it now, and mend what it shows.",
  ].join("\n\n");
}

export function evidencePrompt(missing: readonly MissingEvidence[], refused = ""): string {
  const asked = `${notDoneYet(missing)} Then give your whole answer again, in the form that was asked for.\n`;
  return refused === "" ? asked : `${refusedCalls(refused)}\n\n${asked}`;
}

export function repairPrompt(why: string, schemaText: string, refused = ""): string {
  return [
    ...(refused === "" ? [] : [refusedCalls(refused)]),
    `Your answer does not fit the form that was asked for: ${why}.`,
    "Do no further work. Answer again with one JSON object in a fenced block (```json), and nothing after it. It must satisfy this JSON Schema:",
    `${schemaText}\n`,
  ].join("\n\n");
}

function refusedCalls(why: string): string {
  return `Some of your tool calls were refused by the rules of your role: ${why}. They stay refused; do without them.`;
}
