import type { EngineTool } from "@uncaged/workflow-protocol";
import { z } from "zod";
import type { Tool } from "./tool.ts";

/** A tool that the engine lends for this step. It checks its arguments itself. */
export function engineTool({ name, description, parameters, call }: EngineTool): Tool {
  return {
    ...{ name, description, parameters },
    kind: "other",
    plan: async (input) => {
      const given = JSON_VALUE.parse(input);
      return {
        subject: JSON.stringify(given),
        run: async () => {
          const { text, ok } = await call(given);
          return { output: text, ok, exitCode: null };
        },
      };
    },
  };
}

const JSON_VALUE = z.json();
