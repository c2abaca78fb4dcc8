import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import {
  type AddressInfo,
  connect,
  createServer as createPlainServer,
  type Socket,
} from "node:net";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LentModel, lendModel } from "./lend-model.ts";

let model: Server;
let other: Server;
let echo: ReturnType<typeof createPlainServer>;
let lent: LentModel;
const addressOf = (server: Pick<Server, "address">): string =>
  `127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  model = createServer(async (asked, answer) => {
    const { authorization, "proxy-authorization": secret } = asked.headers;
    answer.writeHead(418, { "x-was": `${authorization} ${secret}` });
    answer.end(`${asked.method} ${asked.url} ${await text(asked)}`);
  });
  other = createServer((_, answer) => answer.end("other"));
  echo = createPlainServer((socket) => socket.pipe(socket));
  for (const server of [model, other, echo]) await once(server.listen(0, "127.0.0.1"), "listening");
  lent = await lendModel([addressOf(model), addressOf(echo), "LOCALHOST:1"]);
});
afterAll(async () => {
  await lent.close();
  for (const server of [model, other, echo]) server.close();
});

async function ask(
  url: string,
  { method = "GET", headers = {}, body = "" } = {},
): Promise<{ answer: IncomingMessage; said: string }> {
  const asked = request({ socketPath: lent.socket, path: url, method, headers });
  asked.end(body);
  const [answer]: IncomingMessage[] = await once(asked, "response");
  if (answer === undefined) throw new Error("no answer");
  return { answer, said: await text(answer) };
}

async function tunnel(to: string): Promise<{ socket: Socket; first: string }> {
  const socket = connect(lent.socket);
  socket.write(`CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n\r\n`);
  const [first] = await once(socket, "data");
  return { socket, first: String(first) };
}

describe("the way to a model", () => {
  it("passes on what is asked of it without TLS, but for what is meant for a proxy", async () => {
    const { answer, said } = await ask(`http://${addressOf(model)}/v1/messages?a=b`, {
      method: "POST",
      headers: { authorization: "Bearer x", "proxy-authorization": "Basic y" },
      body: "hello",
    });
    expect(answer.statusCode).toBe(418);
    expect(answer.headers["x-was"]).toBe("Bearer x undefined");
    expect(said).toBe("POST /v1/messages?a=b hello");
  });

  it("lets a program speak to it as if directly", async () => {
    const { socket, first } = await tunnel(addressOf(echo));
    expect(first).toMatch(/^HTTP\/1\.1 200 /);
    socket.write("ping");
    expect(String((await once(socket, "data"))[0])).toBe("ping");
    const ended = once(socket, "close");
    socket.end();
    await ended;
  });

  it("passes on what a program says before it is let through", async () => {
    const socket = connect(lent.socket);
    socket.write(`CONNECT ${addressOf(echo)} HTTP/1.1\r\n\r\nearly`);
    let heard = "";
    for await (const piece of socket) {
      heard += String(piece);
      if (heard.includes("early")) break;
    }
    expect(heard).toMatch(/^HTTP\/1\.1 200 .*early$/s);
  });

  it("passes on all that was said before the end, however slowly it is read", async () => {
    // More than the system holds for a reader, and little enough that the rest waits in the proxy.
    const size = 256 * 1024;
    const talker = createPlainServer((socket) => socket.end(Buffer.alloc(size)));
    await once(talker.listen(0, "127.0.0.1"), "listening");
    const own = await lendModel([addressOf(talker)]);
    const socket = connect(own.socket);
    socket.write(`CONNECT ${addressOf(talker)} HTTP/1.1\r\n\r\n`);
    await once(socket, "readable");
    await sleep(300);
    let read = 0;
    for await (const piece of socket) read += (piece as Buffer).length;
    expect(read).toBeGreaterThan(size);
    await own.close();
    talker.close();
  });

  it("leads nowhere else", async () => {
    const elsewhere = addressOf(other);
    const { first } = await tunnel(elsewhere);
    expect(first).toMatch(/^HTTP\/1\.1 403 /);
    expect(first).toContain(`${elsewhere} is not the agent's model`);
    const port = elsewhere.split(":")[1];
    for (const url of [
      `http://${elsewhere}/`,
      `http://${addressOf(model)}@${elsewhere}/`,
      `http://127.0.0.1/`,
      `https://${addressOf(model)}/`,
      "/v1/messages",
      `http://localhost:${port}/`,
    ])
      expect((await ask(url)).answer.statusCode).toBe(403);
    for (const to of [`127.0.0.1`, `${addressOf(model)}0`, "x", `127.0.0.1:${port}`])
      expect((await tunnel(to)).first).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  it("ends with who asks, and where nobody answers", async () => {
    const { socket } = await tunnel(addressOf(echo));
    socket.destroy();
    await expect.poll(() => new Promise((done) => echo.getConnections((_, n) => done(n)))).toBe(0);
    const dead = connect(lent.socket);
    dead.write("CONNECT localhost:1 HTTP/1.1\r\n\r\n");
    await once(dead, "close");
  });

  it("is what the environment names, for any program", () => {
    expect(lent.env).toEqual({
      ...{ HTTP_PROXY: "http://127.0.0.1:3128", http_proxy: "http://127.0.0.1:3128" },
      ...{ HTTPS_PROXY: "http://127.0.0.1:3128", https_proxy: "http://127.0.0.1:3128" },
      ...{ NO_PROXY: "", no_proxy: "" },
    });
  });

  it("is gone with the step, with what is open", async () => {
    const own = await lendModel([addressOf(echo)]);
    const socket = connect(own.socket);
    socket.write(`CONNECT ${addressOf(echo)} HTTP/1.1\r\n\r\n`);
    await once(socket, "data");
    const closed = once(socket, "close");
    await own.close();
    await closed;
    expect(existsSync(dirname(own.socket))).toBe(false);
  });
});
