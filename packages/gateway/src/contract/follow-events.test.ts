import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { followEvents, type ServerEvent } from "./index.ts";

test("a stream that breaks before its first event begins anew with a reset", async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer(({ headers }, answer) => {
    asked.push(headers["last-event-id"]?.toString());
    answer.writeHead(200, { "content-type": "text/event-stream" });
    answer.flushHeaders();
    if (asked.length === 1) setTimeout(() => answer.destroy(), 20);
    else answer.end('id: 7\ndata: {"type":"ready"}\n\n');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const end = new AbortController();
  const seen: ServerEvent[] = [];
  const connection = { origin: `http://127.0.0.1:${port}`, headers: {} };
  const topics = ["threads", "thread:T"];
  for await (const event of followEvents(connection, { client: "c", topics, signal: end.signal })) {
    seen.push(event);
    if (seen.length === 4) end.abort();
  }
  server.close();
  server.closeAllConnections();
  const resets = topics.map((topic) => ({ type: "reset", topic }));
  // The third stream goes on where the second has said it stands.
  expect(seen).toEqual([...resets, { type: "ready" }, { type: "ready" }]);
  expect(asked).toEqual([undefined, undefined, "7"]);
});
