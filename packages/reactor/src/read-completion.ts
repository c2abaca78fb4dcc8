import type { Result } from "@uncaged/workflow-protocol";
import { EventSourceParserStream, ParseError } from "eventsource-parser/stream";
import { boundedText } from "./bounded-text.ts";
import { readChunk } from "./completion-chunk.ts";
import {
  broken,
  MAX_REPLY_CHARS,
  ReplyBuilder,
  type ReplyFault,
  TOO_LARGE,
  useless,
  type WholeReply,
} from "./reply-builder.ts";

/** Limit for one message: the reply's own limit is lower. */
const MAX_MESSAGE_CHARS = 2 * MAX_REPLY_CHARS;
/** Limit for all messages together: each piece of a streamed reply has an overhead of some hundred characters. */
const MAX_STREAM_CHARS = 32 * MAX_REPLY_CHARS;

/** Reads a streamed reply, or a complete one from a server that does not stream. Memory is bounded, whatever it
 *  sends. */
export async function readCompletion(
  response: Response,
  sink: { onText: ((text: string) => void) | undefined; heard: () => void },
): Promise<Result<WholeReply, ReplyFault>> {
  const reply = new ReplyBuilder();
  let chars = 0;
  try {
    for await (const data of messagesOf(response)) {
      sink.heard();
      chars += data.length;
      if (chars > MAX_STREAM_CHARS) return useless("the server sent more than 256 MiB");
      const chunk = readChunk(data);
      if (!chunk.ok) return broken(chunk.error);
      const added = reply.add(chunk.value);
      if (!added.ok) return added;
      if (added.value !== "") sink.onText?.(added.value);
    }
  } catch (thrown) {
    if (thrown instanceof ParseError && thrown.type === "max-buffer-size-exceeded") {
      return useless(TOO_LARGE);
    }
    throw thrown;
  }
  return reply.finished();
}

async function* messagesOf(response: Response): AsyncGenerator<string> {
  if (!(response.headers.get("content-type") ?? "").includes("text/event-stream")) {
    // Truncated JSON is not JSON.
    yield await boundedText(response, MAX_MESSAGE_CHARS);
    return;
  }
  if (response.body === null) return;
  const events = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: MAX_MESSAGE_CHARS }));
  for await (const { data } of events) {
    if (data === "[DONE]") return;
    yield data;
  }
}
