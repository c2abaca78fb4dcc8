/** How a result is handed in: the role's schema is the tool that ends a turn.
 *
 *  1. What does not fit is told to the model at once. After `MOST_TOLD` of a step its turn ends with it, and what comes
 *     then is the same for all agents: another turn, extraction by a model, or no result.
 *  2. A text without a call ends the turn, too, and is read as any agent's answer is. */
import { type JsonObject, toJsonObject } from "@uncaged/workflow-protocol";
import type { Misfit, ToolDefinition } from "@uncaged/workflow-reactor";
import type { AgentStep } from "@uncaged/workflow-util-agent";
import { z } from "zod";

/** Stands in conversations that are kept. */
export const HAND_IN_TOOL = "submit_result";

const MOST_TOLD = 2;

/** What a turn ended with; undefined: with a text alone. */
type HandedIn = { structured: JsonObject | undefined };

export type HandIn = {
  tool: ToolDefinition;
  schema: z.ZodType<HandedIn>;
  onMisfit(misfit: Misfit): HandedIn | null;
};

/** Of one step: it counts what it told in all its turns. */
export function handIn(step: Pick<AgentStep, "outputSchema" | "misfit" | "note">): HandIn {
  let told = 0;
  return {
    tool: {
      name: HAND_IN_TOOL,
      description:
        "Hands in your result and ends your work. Call it once, when all is done, with no other call beside it.",
      parameters: step.outputSchema,
    },
    schema: z.unknown().transform(async (value, { issues }) => {
      const structured = toJsonObject(value);
      const why = structured === null ? NO_OBJECT : await step.misfit(structured);
      if (structured !== null && why === null) return { structured };
      issues.push({ code: "custom", message: why ?? NO_OBJECT, input: value });
      return z.NEVER;
    }),
    onMisfit({ by, why, value }) {
      if (by === "text") return { structured: undefined };
      if (told >= MOST_TOLD) return { structured: toJsonObject(value) ?? undefined };
      told++;
      step.note(`its result did not fit and was requested again: ${why}`);
      return null;
    },
  };
}

const NO_OBJECT = "it is not a JSON object, or is nested too deep";
