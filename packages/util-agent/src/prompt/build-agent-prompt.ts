import type { JsonObject } from "@uncaged/workflow-protocol";
import { fenced } from "./fenced.ts";

/** The whole prompt for an agent that takes a single text: who it is, what it is told, how to answer. */
export function buildAgentPrompt(parts: {
  /** The role's system prompt; empty when the agent receives it separately. */
  rolePrompt: string;
  /** See `buildThreadInput`. */
  threadInput: string;
  /** The role's rules: see `rulesInWords`. Default: none. */
  rules?: string | undefined;
  /** What an agent that coordinates has to know of its workers. Default: nothing. */
  workers?: string | undefined;
  /** JSON Schema of the role's result; null when the agent enforces it itself. */
  outputSchema: JsonObject | null;
  /** Name of the tool with which the agent submits its result. Default: the result is in its text. */
  handInTool?: string | null | undefined;
}): string {
  const { rolePrompt, threadInput, rules = "", workers = "", outputSchema } = parts;
  const { handInTool = null } = parts;
  const sections = [
    rolePrompt.trim(),
    threadInput.trim(),
    rules.trim(),
    workers.trim(),
    answerFormat(outputSchema, handInTool),
  ];
  return `${sections.filter((each) => each !== "").join("\n\n")}\n`;
}

function answerFormat(schema: JsonObject | null, handInTool: string | null): string {
  if (schema === null) return "";
  const end =
    handInTool === null
      ? "Then end with one JSON object in a fenced block (```json), and nothing after it."
      : `With that, hand in your result by calling \`${handInTool}\`, once and as your last call.`;
  return [
    "# Your answer",
    `When your work is done, say in a few sentences what you did. ${end} It must satisfy this JSON Schema:`,
    fenced(JSON.stringify(schema, null, 2), "json"),
  ].join("\n\n");
}
