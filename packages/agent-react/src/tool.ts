import type { JsonObject, ToolKind } from "@uncaged/workflow-protocol";
import type { AgentStep } from "@uncaged/workflow-util-agent";
import { z } from "zod";

/** What a tool may know of the step that it works in. */
export type ToolScope = Pick<
  AgentStep,
  "cwd" | "env" | "processTag" | "signal" | "limits" | "emit"
> & {
  /** Never left out: what forgets it would run outside the sandbox that the record of the step names. */
  isolation: NonNullable<AgentStep["isolation"]> | null;
  /** Milliseconds that one command may take at most. */
  shellTimeoutMs: number;
};

export type ToolOutcome = {
  /** What the model is told. */
  output: string;
  ok: boolean;
  /** Of a command. */
  exitCode: number | null;
};

/** A call that was understood and not made yet. */
export type PlannedCall = {
  /** What a policy looks at: see `ToolRule.input`. */
  subject: string;
  run(): Promise<ToolOutcome>;
};

export type Tool = {
  name: string;
  kind: ToolKind;
  description: string;
  parameters: JsonObject;
  /** Throws, in words for the model, when the arguments do not fit or lead outside. Changes nothing. */
  plan(input: unknown, scope: ToolScope): Promise<PlannedCall>;
};

/** A tool whose arguments are parsed before it sees them. */
export function toolOf<T>(about: {
  name: string;
  kind: ToolKind;
  description: string;
  arguments: z.ZodType<T>;
  plan(input: T, scope: ToolScope): Promise<PlannedCall>;
}): Tool {
  const { name, kind, description, arguments: schema, plan } = about;
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: "input" });
  return {
    name,
    kind,
    description,
    parameters: JSON_OBJECT.parse(parameters),
    async plan(input, scope) {
      const parsed = schema.safeParse(input);
      if (!parsed.success)
        throw new Error(`the arguments do not fit: ${z.prettifyError(parsed.error)}`);
      return plan(parsed.data, scope);
    },
  };
}

const JSON_OBJECT = z.record(z.string(), z.json());

export const done = (output: string): ToolOutcome => ({ output, ok: true, exitCode: null });
