/** A real HTTP server on loopback that answers chat completions from a test's script. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Scripted = (response: ServerResponse, body: unknown) => unknown;

export type Endpoint = {
  baseUrl: string;
  /** The requests, in order. */
  requests: { headers: IncomingMessage["headers"]; body: unknown }[];
  close: () => Promise<void>;
};

/** Answers the n-th request with the n-th script, and every later one with the last. */
export async function scriptedEndpoint(scripts: readonly Scripted[]): Promise<Endpoint> {
  const requests: Endpoint["requests"] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const body: unknown = text === "" ? null : JSON.parse(text);
    requests.push({ headers: request.headers, body });
    await scripts[Math.min(requests.length, scripts.length) - 1]?.(response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Streams these chunks and ends properly. */
export function streams(...chunks: unknown[]): Scripted {
  return (response) => {
    begin(response);
    for (const chunk of chunks) event(response, JSON.stringify(chunk));
    event(response, "[DONE]");
    response.end();
  };
}

/** Answers with this, not streamed; a string is sent as it is. */
export function whole(body: object | string): Scripted {
  return (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

export function begin(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
}

export function event(response: ServerResponse, data: string): void {
  response.write(`data: ${data}\n\n`);
}

export function refuses(
  status: number,
  headers: Record<string, string> = {},
  body = "no",
): Scripted {
  return (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

export const delta = (content: string): unknown => ({ choices: [{ delta: { content } }] });
export const finish = (reason = "stop"): unknown => ({
  choices: [{ delta: {}, finish_reason: reason }],
});
