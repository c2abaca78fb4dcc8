import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { describeIssues } from "@uncaged/workflow-util-agent";
import type { z } from "zod";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { failureOfThrown } from "../render-error.ts";

/** What a tool is called with, beside its arguments. */
export type Call = {
  io: Io;
  /** Aborts when the client gives the call up, and when it goes away. */
  signal: AbortSignal;
};

export type Tool = {
  name: string;
  description: string;
  arguments: z.ZodType;
  /** It changes nothing. */
  readOnly: boolean;
  /** Never rejects. */
  call(input: unknown, call: Call): Promise<Result<string, Failure>>;
};

/** A tool whose arguments are parsed before it sees them. What does not fit is a failure as any other. */
export function toolOf<T>(about: {
  name: string;
  description: string;
  arguments: z.ZodType<T>;
  readOnly: boolean;
  call(input: T, call: Call): Promise<Result<Output, Failure>>;
}): Tool {
  return {
    ...about,
    async call(input, call) {
      const parsed = about.arguments.safeParse(input);
      if (!parsed.success) {
        const message = `arguments of ${about.name}: ${describeIssues(parsed.error)}`;
        return err(failure("USAGE", message, "see the tool's input schema"));
      }
      try {
        const output = await about.call(parsed.data, call);
        return output.ok ? ok(textOf(output.value)) : output;
      } catch (thrown) {
        return err(failureOfThrown(thrown));
      }
    },
  };
}

/** What is meant to be read as it is, or the document. */
function textOf(output: Output): string {
  if ("verbatim" in output) return output.verbatim;
  return "document" in output ? JSON.stringify(output.document, null, 2) : "";
}
