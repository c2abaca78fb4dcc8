/** A reply, assembled from what the server sends.
 *
 *  1. Everything that is kept counts: texts, arguments, names, ids. Their sum is limited, and so is the number of
 *     calls.
 *  2. An index says to which call a piece belongs; it is looked up, never used as a position. */
import { err, ok, type Result } from "@uncaged/workflow-protocol";
import type { LlmReply, ToolCall } from "./chat.ts";
import type { CallPiece, ChunkUsage, CompletionChunk } from "./completion-chunk.ts";
import { TextParts } from "./text-parts.ts";

/** More than any model writes; nothing beyond this is read. */
export const MAX_REPLY_CHARS: number = 8 * 1024 * 1024;
/** Models make some tens at once. */
const MOST_CALLS = 128;
const NAME_CHARS = 256;
/** Some servers put a signature into it. */
const ID_CHARS = 64 * 1024;

/** What was wrong with a reply. It may contain everything that the server sent. */
export type ReplyFault = {
  reason: string;
  /** `crashed`: it was cut or is not the protocol; a retry may do better. `invalid_output`: it is complete but
   *  useless. */
  outcome: "crashed" | "invalid_output";
};

/** A server's counters; null: none, or impossible ones. */
export type ToldUsage = {
  inputTokens: number | null;
  outputTokens: number | null;
  cachedInputTokens: number;
  costUsd: number | null;
};

export type WholeReply = Omit<LlmReply, "usage"> & { usage: ToldUsage; chars: number };

export const TOO_LARGE = "the reply is larger than 8 MiB";

export const broken = (reason: string): Result<never, ReplyFault> =>
  err({ reason, outcome: "crashed" });
export const useless = (reason: string): Result<never, ReplyFault> =>
  err({ reason, outcome: "invalid_output" });

type CallParts = { id: string; name: string; arguments: TextParts };
export class ReplyBuilder {
  readonly #text = new TextParts();
  readonly #refusal = new TextParts();
  readonly #calls = new Map<number, CallParts>();
  #chars = 0;
  #finish: string | null = null;
  #usage: ToldUsage = NOTHING_TOLD;

  /** Returns the text that was added. */
  add({ choices, usage }: CompletionChunk): Result<string, ReplyFault> {
    if (usage) this.#usage = told(usage);
    const [choice] = choices;
    if (choice === undefined) return ok("");
    this.#finish = choice.finish_reason ? finishOf(choice.finish_reason) : this.#finish;
    const added = choice.delta ?? choice.message;
    const text = added?.content ?? "";
    const refusal = added?.refusal ?? "";
    this.#text.add(text);
    this.#refusal.add(refusal);
    this.#chars += text.length + refusal.length;
    for (const [place, piece] of (added?.tool_calls ?? []).entries()) {
      const fault = this.#addCall(piece.index ?? place, piece);
      if (fault !== null) return useless(fault);
    }
    return this.#chars > MAX_REPLY_CHARS ? useless(TOO_LARGE) : ok(text);
  }

  /** Null, or what is wrong with it. */
  #addCall(index: number, piece: CallPiece): string | null {
    const { id, function: called } = piece;
    if ((called?.name?.length ?? 0) > NAME_CHARS)
      return `the model called a tool by a name of more than ${NAME_CHARS} characters`;
    if ((id?.length ?? 0) > ID_CHARS)
      return `the server sent a tool call with an id of more than ${ID_CHARS} characters`;
    const call = this.#calls.get(index) ?? { id: "", name: "", arguments: new TextParts() };
    this.#calls.set(index, call);
    if (this.#calls.size > MOST_CALLS || index >= MOST_INDEX)
      return `the model made more than ${MOST_CALLS} tool calls in one reply`;
    const before = call.id.length + call.name.length;
    call.id = id || call.id;
    call.name = called?.name || call.name;
    call.arguments.add(called?.arguments ?? "");
    this.#chars += call.id.length + call.name.length - before + (called?.arguments?.length ?? 0);
    return null;
  }

  finished(): Result<WholeReply, ReplyFault> {
    if (this.#finish === null) return broken("the reply was cut before its end");
    const refusal = this.#refusal.text();
    if (refusal !== "") return useless(`the model refused: ${refusal}`);
    if (this.#finish === "content_filter") {
      return useless("the provider's content filter stopped the reply");
    }
    const calls = [...this.#calls]
      .sort(([a], [b]) => a - b)
      .map(([, call]) => ({ ...call, arguments: call.arguments.text() }))
      .filter(({ name }) => name !== "");
    if (this.#finish === "length" && calls.length > 0) {
      return broken("the reply ran into its length limit in the middle of a tool call");
    }
    const text = this.#text.text();
    return ok({ text, toolCalls: calls.map(withId), usage: this.#usage, chars: this.#chars });
  }
}

/** A server with larger indexes is not counting calls. */
const MOST_INDEX = 4 * MOST_CALLS;

const NOTHING_TOLD: ToldUsage = {
  inputTokens: null,
  outputTokens: null,
  cachedInputTokens: 0,
  costUsd: null,
};

function told(usage: ChunkUsage): ToldUsage {
  return {
    inputTokens: usage.prompt_tokens ?? null,
    outputTokens: usage.completion_tokens ?? null,
    cachedInputTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    costUsd: usage.cost ?? null,
  };
}

/** Only these two make a difference. */
function finishOf(reason: string): string {
  return reason === "length" || reason === "content_filter" ? reason : "stop";
}

/** Some servers give calls no id; the protocol needs one to answer them. */
function withId(call: ToolCall, index: number): ToolCall {
  return call.id === "" ? { ...call, id: `call_${index}` } : call;
}
