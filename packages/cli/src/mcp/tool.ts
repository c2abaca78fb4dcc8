import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { describeIssues } from "@uncaged/workflow-util-agent";
import type { z } from "zod";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { failureOfThrown } from "../command/render-error.ts";

/** What a tool is called with, besides its arguments. */
export type Call = {
  io: Io;
  /** Aborts when the client cancels the call, and when it disconnects. */
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

/** A tool whose arguments are parsed before it sees them. Invalid ones are a failure like any other. */
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

/** The verbatim text, or the document. */
function textOf(output: Output): string {
  if ("verbatim" in output) return output.verbatim;
  return "document" in output ? JSON.stringify(output.document, null, 2) : "";
}
