/** Parses one message from a server: only the parts that matter, and nothing that the server could make arbitrarily
 *  large. */
import { err, ok, parseJson, type Result } from "@uncaged/workflow-protocol";
import { z } from "zod";
import { holdsMoreValuesThan } from "./json-size.ts";

/** Real messages have some tens of values, a few thousand at most. */
const MOST_VALUES = 50_000;
/** No reply uses more. A counter above this, or below zero, is ignored. */
const MOST_TOKENS = 1_000_000_000;
const MOST_COST_USD = 1_000_000;

export type CallPiece = {
  index?: number | null | undefined;
  id?: string | null | undefined;
  function?:
    | { name?: string | null | undefined; arguments?: string | null | undefined }
    | null
    | undefined;
};
type Part = {
  content?: string | null | undefined;
  refusal?: string | null | undefined;
  tool_calls?: CallPiece[] | null | undefined;
};
type Tokens = number | null | undefined;
export type ChunkUsage = {
  prompt_tokens?: Tokens;
  completion_tokens?: Tokens;
  prompt_tokens_details?: { cached_tokens?: Tokens } | null | undefined;
  cost?: number | null | undefined;
};
export type CompletionChunk = {
  choices: {
    delta?: Part | null | undefined;
    message?: Part | null | undefined;
    finish_reason?: string | null | undefined;
  }[];
  usage?: ChunkUsage | null | undefined;
  error?: { message: string } | null | undefined;
};

const tokens: z.ZodType<Tokens> = z.int().nonnegative().max(MOST_TOKENS).nullish().catch(null);

const usage: z.ZodType<ChunkUsage | null | undefined> = z
  .object({
    prompt_tokens: tokens,
    completion_tokens: tokens,
    prompt_tokens_details: z.object({ cached_tokens: tokens }).nullish().catch(null),
    cost: z.number().nonnegative().max(MOST_COST_USD).nullish().catch(null),
  })
  .nullish()
  .catch(null);

const part: z.ZodType<Part> = z.object({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z
    .array(
      z.object({
        index: z.int().nonnegative().nullish(),
        id: z.string().nullish(),
        function: z
          .object({ name: z.string().nullish(), arguments: z.string().nullish() })
          .nullish(),
      }),
    )
    .nullish(),
});

const chunk: z.ZodType<CompletionChunk> = z.object({
  choices: z
    .array(
      z.object({
        delta: part.nullish(),
        message: part.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage,
  error: z.object({ message: z.string() }).nullish(),
});

/** The error says what is wrong, and may quote all of it. */
export function readChunk(data: string): Result<CompletionChunk, string> {
  if (holdsMoreValuesThan(MOST_VALUES, data)) {
    return err(`the server sent a message of more than ${MOST_VALUES} values`);
  }
  const parsed = chunk.safeParse(parseJson(data));
  if (!parsed.success) return err(`the server sent something that is not a completion: ${data}`);
  if (parsed.data.error) return err(`the server reported: ${parsed.data.error.message}`);
  return ok(parsed.data);
}
