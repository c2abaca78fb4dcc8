/** What an agent is told after a turn that was not enough, in the same session. */
import type { JsonObject } from "@uncaged/workflow-protocol";
import { evidenceWords, type MissingEvidence } from "@uncaged/workflow-util/tool-rules";
import { fenced } from "./fenced.ts";

/** Also for agents that can be stopped from finishing. */
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

/** `faulty`: what the engine saw when it checked the files. */
export function checkPrompt(faulty: string): string {
  return [
    "You are not done yet. Your files were checked, in a clean checkout and without anything of your environment, and did not pass:",
    fenced(faulty, ""),
    "Mend the work. Then give your whole answer again, in the form that was asked for.\n",
  ].join("\n\n");
}

export function repairPrompt(
  why: string,
  asked: { outputSchema: JsonObject; handInTool: string | null },
  refused = "",
): string {
  const how =
    asked.handInTool === null
      ? "Answer again with one JSON object in a fenced block (```json), and nothing after it."
      : `Hand in your result again by calling \`${asked.handInTool}\`.`;
  return [
    ...(refused === "" ? [] : [refusedCalls(refused)]),
    `Your answer does not fit the form that was asked for: ${why}.`,
    `Do no further work. ${how} It must satisfy this JSON Schema:`,
    `${JSON.stringify(asked.outputSchema, null, 2)}\n`,
  ].join("\n\n");
}

function refusedCalls(why: string): string {
  return `Some of your tool calls were refused by the rules of your role: ${why}. They stay refused; do without them.`;
}
