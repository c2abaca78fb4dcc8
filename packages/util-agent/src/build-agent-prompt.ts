import type { JsonObject } from "@uncaged/workflow-protocol";
import { fenced } from "./fenced.ts";

/** The whole prompt for an agent that takes one text: who it is, what it is told, how it must answer. */
export function buildAgentPrompt(parts: {
  /** The role's system prompt; empty when the agent takes it by another way. */
  rolePrompt: string;
  /** See `buildThreadInput`. */
  threadInput: string;
  /** What the role is held to: see `rulesInWords`. Default: nothing. */
  rules?: string | undefined;
  /** JSON Schema of the role's result; null when the agent enforces it by itself. */
  outputSchema: JsonObject | null;
}): string {
  const { rolePrompt, threadInput, rules = "", outputSchema } = parts;
  const sections = [
    rolePrompt.trim(),
    threadInput.trim(),
    rules.trim(),
    answerFormat(outputSchema),
  ];
  return `${sections.filter((each) => each !== "").join("\n\n")}\n`;
}

function answerFormat(schema: JsonObject | null): string {
  if (schema === null) return "";
  return [
    "# Your answer",
    "When your work is done, say in a few sentences what you did. Then end with one JSON object in a fenced block (```json), and nothing after it. It must satisfy this JSON Schema:",
    fenced(JSON.stringify(schema, null, 2), "json"),
  ].join("\n\n");
}
