/** The tool whose arguments are the result.
 *
 *  1. Servers accept only an object as arguments, without a choice between several: a schema that is more than that
 *     at its root is offered as the single property `result` of an object.
 *  2. Arguments are checked against the schema itself, so what JSON Schema could not express is checked as well. */
import { err, type JsonObject, type JsonValue, ok, type Result } from "@uncaged/workflow-protocol";
import { z } from "zod";
import type { ToolCall, ToolDefinition } from "./chat.ts";

export type EndingTool<T> = {
  definition: ToolDefinition;
  /** The result submitted by a call of it. */
  read(call: ToolCall): Promise<Result<T, HandInFault>>;
  /** Whether a value that arrived in another way is a result; if not, why. */
  fits(value: unknown): Promise<Result<T, string>>;
};

export type HandInFault = {
  why: string;
  /** What was submitted; undefined: it was not JSON. */
  value: unknown;
};

export function endingTool<T>(offered: ToolDefinition, schema: z.ZodType<T>): EndingTool<T> {
  const { $schema: _, ...parameters } = offered.parameters;
  const isWrapped = !isPlainObjectSchema(parameters);
  const fits = async (value: unknown): Promise<Result<T, string>> => {
    try {
      const parsed = await schema.safeParseAsync(value);
      return parsed.success ? ok(parsed.data) : err(z.prettifyError(parsed.error));
    } catch (thrown) {
      // A recursive schema gives up on a value that is nested deep enough.
      return err(`it cannot be checked: ${thrown instanceof Error ? thrown.message : thrown}`);
    }
  };
  return {
    definition: { ...offered, parameters: isWrapped ? wrapped(parameters) : parameters },
    fits,
    async read(call) {
      const input = parseArguments(call);
      if (!input.ok) return err({ why: input.error, value: undefined });
      const value = isWrapped && isWrapper(input.value) ? input.value.result : input.value;
      const read = await fits(value);
      if (read.ok) return read;
      // Some models leave out the wrapper around the value.
      const bare = value === input.value ? read : await fits(input.value);
      return bare.ok ? bare : err({ why: read.error, value });
    },
  };
}

function isPlainObjectSchema(schema: JsonObject): boolean {
  return schema.type === "object" && NOT_AT_ROOT.every((key) => schema[key] === undefined);
}

/** What OpenAI's and Anthropic's servers refuse at the root of a tool's parameters. */
const NOT_AT_ROOT = ["$ref", "anyOf", "oneOf", "allOf", "not", "enum", "const"];

const RESULT = "#/properties/result";

function wrapped(schema: JsonObject): JsonObject {
  return {
    type: "object",
    properties: { result: moved(schema) },
    required: ["result"],
    additionalProperties: false,
  };
}

/** References within the schema, relative to its new position. */
function moved(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map(moved);
  const entries = Object.entries(value).map(([key, each]): [string, JsonValue] =>
    key === "$ref" && typeof each === "string" && each.startsWith("#")
      ? [key, `${RESULT}${each.slice(1)}`]
      : [key, moved(each)],
  );
  return Object.fromEntries(entries);
}

const isList = (value: object): value is readonly JsonValue[] => Array.isArray(value);

function isWrapper(value: unknown): value is { result: unknown } {
  return typeof value === "object" && value !== null && Object.keys(value).join() === "result";
}

function parseArguments(call: ToolCall): Result<unknown, string> {
  try {
    return ok(JSON.parse(call.arguments === "" ? "{}" : call.arguments));
  } catch (thrown) {
    return err(
      `the arguments are not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    );
  }
}
