/** A model that says what a case wants, well or badly, over a real connection. */
import { createServer } from "node:http";

/** `replies`: one for each request, the last for all further ones. Each is one of
 *
 *      { content, finish }            a text, streamed in pieces; `cutAfter` pieces the connection breaks,
 *                                     `dripMs` between them
 *      { call: { name, args }, finish }   a tool call, likewise
 *      { status, retryAfter }         a refusal
 *      { hang }                       nothing, ever
 *      { html }                       the page of some proxy */
export async function withModelServer(replies, use) {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const reply = replies[Math.min(count, replies.length - 1)];
      count += 1;
      give(response, reply).catch(() => response.destroy());
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const baseUrl = `http://127.0.0.1:${server.address().port}/v1`;
    return await use({ baseUrl, requests: () => count });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function give(response, reply) {
  if (reply.hang) return;
  if (reply.status !== undefined) {
    const headers = reply.retryAfter === undefined ? {} : { "retry-after": reply.retryAfter };
    response.writeHead(reply.status, headers).end('{"error":{"message":"not now"}}');
    return;
  }
  if (reply.html) {
    response.writeHead(200, { "content-type": "text/html" }).end("<html>log in</html>");
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  await stream(response, { ...reply, pieces: piecesOf(reply) });
}

async function stream(response, { pieces, cutAfter, dripMs, finish }) {
  const event = (choice) => response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  for (const [at, delta] of pieces.entries()) {
    if (at === cutAfter) {
      response.destroy();
      return;
    }
    event({ index: 0, delta });
    if (dripMs !== undefined) await new Promise((resolve) => setTimeout(resolve, dripMs));
    if (response.destroyed) return;
  }
  if (cutAfter !== undefined) {
    response.destroy();
    return;
  }
  event({ index: 0, delta: {}, finish_reason: finish });
  response.end("data: [DONE]\n\n");
}

function piecesOf({ content, call }) {
  if (call === undefined) {
    const size = Math.max(8, Math.ceil(content.length / 500));
    return (
      content.match(new RegExp(`[^]{1,${size}}`, "g"))?.map((text) => ({ content: text })) ?? []
    );
  }
  const piece = (fn, id) => ({ tool_calls: [{ index: 0, id, function: fn }] });
  const half = Math.ceil(call.args.length / 2);
  return [
    piece({ name: call.name, arguments: call.args.slice(0, half) }, "c1"),
    piece({ arguments: call.args.slice(half) }),
  ];
}
