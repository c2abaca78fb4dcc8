/** A WebSocket as a stream of bytes. */
import type { Duplex } from "node:stream";
import { createWebSocketStream, type WebSocket } from "ws";

export function overSocket(socket: WebSocket): Duplex {
  const stream = createWebSocketStream(socket, { readableHighWaterMark: 65_536 });
  // What breaks is told by `close`.
  stream.on("error", () => undefined);
  return stream;
}
