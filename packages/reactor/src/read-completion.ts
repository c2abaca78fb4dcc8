import { err, ok, parseJson, type Result, type Usage } from "@uncaged/workflow-protocol";
import { EventSourceParserStream, ParseError } from "eventsource-parser/stream";
import { z } from "zod";
import { boundedText } from "./bounded-text.ts";
import type { LlmReply, ToolCall } from "./chat.ts";

/** More of one reply than any model writes is not read further. */
const MAX_REPLY_CHARS = 8 * 1024 * 1024;

const usage = z
  .object({
    prompt_tokens: z.number().nonnegative().catch(0),
    completion_tokens: z.number().nonnegative().catch(0),
    prompt_tokens_details: z
      .object({ cached_tokens: z.number().nonnegative().nullish() })
      .nullish()
      .catch(null),
    cost: z.number().nonnegative().nullish().catch(null),
  })
  .nullish()
  .catch(null);

const part = z.object({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z
    .array(
      z.object({
        index: z.number().int().nonnegative().optional(),
        id: z.string().nullish(),
        function: z
          .object({ name: z.string().nullish(), arguments: z.string().nullish() })
          .nullish(),
      }),
    )
    .nullish(),
});

const chunk = z.object({
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
type Chunk = z.infer<typeof chunk>;

/** What was wrong with a reply. It may hold all that the server sent. */
export type ReplyFault = {
  reason: string;
  /** `crashed`: it was cut or is not the protocol; another try may do better. `invalid_output`: it came as the
   *  model meant it, and is no use. */
  outcome: "crashed" | "invalid_output";
};

/** Reads a streamed reply, or a whole one from a server that does not stream. */
export async function readCompletion(
  response: Response,
  sink: { onText: ((text: string) => void) | undefined; heard: () => void },
): Promise<Result<LlmReply, ReplyFault>> {
  const reply = new ReplyBuilder();
  try {
    for await (const data of messagesOf(response)) {
      sink.heard();
      const parsed = chunk.safeParse(parseJson(data));
      if (!parsed.success) return broken(`the server sent what is no completion: ${data}`);
      if (parsed.data.error) return broken(`the server reported: ${parsed.data.error.message}`);
      const text = reply.add(parsed.data);
      if (reply.chars > MAX_REPLY_CHARS) return useless(TOO_LARGE);
      if (text !== "") sink.onText?.(text);
    }
  } catch (thrown) {
    if (thrown instanceof ParseError && thrown.type === "max-buffer-size-exceeded") {
      return useless(TOO_LARGE);
    }
    throw thrown;
  }
  return reply.finished();
}

const TOO_LARGE = "the reply is larger than 8 MiB";

const broken = (reason: string): Result<never, ReplyFault> => err({ reason, outcome: "crashed" });
const useless = (reason: string): Result<never, ReplyFault> =>
  err({ reason, outcome: "invalid_output" });

async function* messagesOf(response: Response): AsyncGenerator<string> {
  if (!(response.headers.get("content-type") ?? "").includes("text/event-stream")) {
    // Cut JSON is no JSON; the reply's own limit is the lower one.
    yield await boundedText(response, 2 * MAX_REPLY_CHARS);
    return;
  }
  if (response.body === null) return;
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: 2 * MAX_REPLY_CHARS }));
  for await (const { data } of events) {
    if (data === "[DONE]") return;
    yield data;
  }
}

type CallPart = {
  id?: string | null | undefined;
  name?: string | null | undefined;
  arguments?: string | null | undefined;
};

class ReplyBuilder {
  chars = 0;
  #text = "";
  #refusal = "";
  #calls: ToolCall[] = [];
  #finishReason: string | null = null;
  #usage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, costUsd: null };

  /** Gives the text that was added. */
  add({ choices, usage: counted }: Chunk): string {
    if (counted) {
      this.#usage = {
        inputTokens: counted.prompt_tokens,
        outputTokens: counted.completion_tokens,
        cachedInputTokens: counted.prompt_tokens_details?.cached_tokens ?? 0,
        costUsd: counted.cost ?? null,
      };
    }
    const [choice] = choices;
    if (choice === undefined) return "";
    this.#finishReason = choice.finish_reason ?? this.#finishReason;
    const added = choice.delta ?? choice.message;
    const text = added?.content ?? "";
    const refusal = added?.refusal ?? "";
    this.#text += text;
    this.#refusal += refusal;
    this.chars += text.length + refusal.length;
    for (const [place, call] of (added?.tool_calls ?? []).entries()) {
      this.#addCall(call.index ?? place, { ...call.function, id: call.id });
    }
    return text;
  }

  #addCall(index: number, more: CallPart): void {
    const known = this.#calls[index] ?? { id: "", name: "", arguments: "" };
    this.chars += more.arguments?.length ?? 0;
    this.#calls[index] = {
      id: more.id || known.id,
      name: more.name || known.name,
      arguments: known.arguments + (more.arguments ?? ""),
    };
  }

  finished(): Result<LlmReply, ReplyFault> {
    if (this.#finishReason === null) return broken("the reply was cut before its end");
    if (this.#refusal !== "") return useless(`the model refused: ${this.#refusal}`);
    if (this.#finishReason === "content_filter") {
      return useless("the provider's content filter stopped the reply");
    }
    const toolCalls = this.#calls.filter((call) => call !== undefined && call.name !== "");
    if (this.#finishReason === "length" && toolCalls.length > 0) {
      return broken("the reply ran into its length limit in the middle of a tool call");
    }
    return ok({ text: this.#text, toolCalls: toolCalls.map(withId), usage: this.#usage });
  }
}

/** Some servers give calls no id; the protocol needs one to answer them. */
function withId(call: ToolCall, index: number): ToolCall {
  return call.id === "" ? { ...call, id: `call_${index}` } : call;
}
