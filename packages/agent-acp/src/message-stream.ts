/** The protocol's messages between the SDK and a program's lines.
 *
 *  1. The program is read exactly as fast as its messages are processed: nothing piles up. Session updates, which
 *     are nearly all of them, are handled here: they must be in order with whatever follows them, and the SDK would
 *     print those that it does not know.
 *  2. An answer to a request that nobody made is dropped: the SDK would print it.
 *  3. A program that keeps asking without reading the answers is an error, not a queue. */
import { type AnyMessage, methods, type Stream } from "@agentclientprotocol/sdk";
import type { JsonObject } from "@uncaged/workflow-protocol";

const MOST_UNREAD = 1_000;

export type MessageStream = {
  /** One object from the program. Throws (3). */
  push(object: JsonObject): Promise<void>;
  /** The SDK's side. `write` sends a line to the program. */
  connect(write: (line: string) => Promise<boolean>): Stream;
};

/** `onUpdate` gets the parameters of each session update, as they arrive. */
export function messageStream(onUpdate: (params: unknown) => void): MessageStream {
  const { readable, writable } = new TransformStream<AnyMessage, AnyMessage>();
  const inbox = writable.getWriter();
  // A closed connection reads no more; whoever closed it knows.
  inbox.closed.catch(() => {});
  const asked = new Set<unknown>();
  let unread = 0;
  return {
    async push(object) {
      if (!isMessage(object)) return;
      if (object.method === methods.client.session.update) return onUpdate(object.params);
      if ("method" in object) {
        if ("id" in object && unread >= MOST_UNREAD) throw new Error(UNREAD);
      } else if (!asked.delete(object.id)) return;
      await inbox.write(object).catch(() => {});
    },
    connect: (write) => ({
      readable,
      writable: new WritableStream<AnyMessage>({
        write(message) {
          if ("method" in message && "id" in message) asked.add(message.id);
          unread++;
          // Not awaited: a request must not wait behind an answer that the program does not read.
          void write(`${JSON.stringify(message)}\n`).then(() => {
            unread--;
          });
        },
      }),
    }),
  };
}

const UNREAD = `it asked ${MOST_UNREAD} questions without reading the answers`;

/** JSON-RPC 2.0: a request, a notification or an answer; no batch. */
function isMessage(object: JsonObject): object is JsonObject & AnyMessage {
  if (object.jsonrpc !== "2.0") return false;
  if ("method" in object) return typeof object.method === "string";
  return "id" in object && ("result" in object || "error" in object);
}
