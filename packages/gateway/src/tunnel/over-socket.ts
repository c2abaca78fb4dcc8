/** A WebSocket as a stream of bytes. */
import type { Duplex } from "node:stream";
import { createWebSocketStream, type WebSocket } from "ws";

/** What is written together goes out as one message, up to this size. */
const TOGETHER_BYTES = 65_536;

export function overSocket(socket: WebSocket): Duplex {
  const stream = createWebSocketStream(socket, {
    readableHighWaterMark: 65_536,
    // HTTP/2 writes the head of a frame and its body apart; a message for each costs more than the call.
    writev(chunks, done) {
      const messages = together(chunks.map(({ chunk }) => chunk));
      messages.forEach((message, at) => {
        socket.send(message, at === messages.length - 1 ? done : undefined);
      });
    },
  });
  // What breaks is told by `close`.
  stream.on("error", () => undefined);
  return stream;
}

function together(chunks: readonly Buffer[]): Buffer[] {
  const messages: Buffer[] = [];
  let open: Buffer[] = [];
  let bytes = 0;
  const flush = (): void => {
    const [only] = open;
    if (only !== undefined) messages.push(open.length === 1 ? only : Buffer.concat(open, bytes));
    open = [];
    bytes = 0;
  };
  for (const chunk of chunks) {
    if (bytes + chunk.length > TOGETHER_BYTES) flush();
    open.push(chunk);
    bytes += chunk.length;
  }
  flush();
  return messages;
}
