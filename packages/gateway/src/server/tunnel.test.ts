import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { get, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { createConnection, createServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { call } from "../contract/index.ts";
import { removeToken, rotateToken } from "../gate/tokens.ts";
import { head, type Lab, type Line, openLab, raw, rawWhole } from "./gateway.test.helper.ts";

let lab: Lab;
const sockets: Socket[] = [];
const webSockets: WebSocket[] = [];
afterEach(async () => {
  for (const socket of webSockets.splice(0)) socket.terminate();
  for (const socket of sockets.splice(0)) socket.destroy();
  await lab.close();
});

/** With the bytes as they came. */
async function rawAnswer(
  url: string,
  headers: Record<string, string>,
): Promise<{ headers: IncomingHttpHeaders; bytes: Buffer }> {
  const [answer]: IncomingMessage[] = await once(get(url, { headers, agent: false }), "response");
  if (answer === undefined) throw new Error("there is no answer");
  return { headers: answer.headers, bytes: await buffer(answer) };
}

const json = async (response: Response) => JSON.parse(await response.text());

async function withEngine(opts: Parameters<typeof openLab>[0] = {}) {
  lab = await openLab(opts);
  const person = lab.token("ada", ["read", "run"], ["laptop"]);
  const engine = lab.token("laptop", ["engine"], ["laptop"]);
  const { origin, port } = lab.gateway;
  const as = { authorization: `Bearer ${person}`, origin };
  return { person, engine, origin, port, as };
}

/** The gateway answers to its own address only. */
function namedAs(chunk: Buffer, port: number): Buffer {
  const text = chunk.toString("latin1");
  if (!text.startsWith("GET /engine ")) return chunk;
  return Buffer.from(text.replace(/^host: .*$/im, `host: 127.0.0.1:${port}`), "latin1");
}

/** What lies between an engine and a gateway. Asleep, connections neither carry a byte nor end; those that were open then
 *  never do again. */
async function sleepyNetwork(to: number) {
  let asleep = false;
  const pairs: Socket[][] = [];
  const server = createServer((near) => {
    const far = createConnection({ host: "127.0.0.1", port: to });
    const pair = [near, far];
    pairs.push(pair);
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("error", () => undefined);
      from.on("data", (chunk: Buffer) => {
        if (pairs.includes(pair)) into.write(from === near ? namedAs(chunk, to) : chunk);
      });
      from.on("close", () => pairs.includes(pair) && into.destroy());
    }
    if (asleep) near.pause();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it listens nowhere");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    sleep(): void {
      asleep = true;
      pairs.splice(0);
    },
    wake(): void {
      asleep = false;
    },
    close: () => void server.close(),
  };
}

/** How long a test waits for what has to happen. */
async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error("it did not happen");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("a call", () => {
  test("passes listed headers only, and says itself who calls", async () => {
    const { engine, origin, as } = await withEngine();
    await lab.engine(engine);
    const response = await fetch(`${origin}/api/c/laptop/threads?q=a%20b`, {
      method: "POST",
      headers: {
        ...as,
        "content-type": "application/json",
        "if-match": '"X"',
        "idempotency-key": "k",
        "x-uwf-who": "root",
        "x-uwf-scope": "edit",
        "x-forwarded-for": "1.2.3.4",
        cookie: "a=1",
        "accept-language": "de",
      },
      body: '{"a":1}',
    });
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(response.headers.get("x-other")).toBeNull();
    const { headers, url, body } = await json(response);
    expect({ url, body }).toEqual({ url: "/threads?q=a%20b", body: '{"a":1}' });
    expect(headers).toMatchObject({
      "x-uwf-who": "ada",
      "x-uwf-scope": "read run",
      "if-match": '"X"',
      "idempotency-key": "k",
    });
    for (const name of ["authorization", "cookie", "x-forwarded-for", "accept-language", "origin"])
      expect(headers[name]).toBeUndefined();
  });

  test("with 100 MB of body is refused, whether it says so or not, and costs no memory", async () => {
    const { engine, port, person, origin } = await withEngine();
    await lab.engine(engine);
    const lines: Line[] = [
      ["host", `127.0.0.1:${port}`],
      ["origin", origin],
      ["authorization", `Bearer ${person}`],
      ["content-type", "application/json"],
    ];
    const before = process.memoryUsage().rss;
    const said: Line[] = [...lines, ["content-length", "100000000"]];
    const chunked: Line[] = [...lines, ["transfer-encoding", "chunked"]];
    const mega = "x".repeat(1_000_000);
    const chunk = `${mega.length.toString(16)}\r\n${mega}\r\n`;
    // This process sends and receives: while it writes, the time for a head may be over.
    for (const text of [
      head("POST", "/api/c/laptop/threads", said) + mega.repeat(100),
      head("POST", "/api/c/laptop/threads", chunked) + chunk.repeat(100),
    ])
      expect(await raw(port, text)).toMatch(/^HTTP\/1\.1 4(?:13|08) |^$/);
    // Two bodies of 100 MB are in this test itself.
    expect(process.memoryUsage().rss - before).toBeLessThan(600_000_000);
  });

  test("ends with 504 when the engine does not answer, and with 502 when it goes", async () => {
    const { engine, origin, as } = await withEngine({ limits: { callMs: 200 } });
    const { end } = await lab.engine(engine, { handler: () => undefined });
    const get = (): Promise<Response> => fetch(`${origin}/api/c/laptop/threads`, { headers: as });
    expect((await get()).status).toBe(504);
    const late = get();
    await end();
    expect((await late).status).toBeOneOf([502, 504]);
    expect(await json(await get())).toMatchObject({ error: { code: "CLIENT_GONE" } });
  });

  test("of which the engine says a false length never puts bytes behind the answer", async () => {
    const { engine, port, person } = await withEngine();
    await lab.engine(engine, {
      handler: (_incoming, outgoing) => {
        outgoing.setHeader("content-length", 2);
        outgoing.end("{}HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx-evil: 1\r\n\r\n");
      },
    });
    const lines: Line[] = [
      ["host", `127.0.0.1:${port}`],
      ["authorization", `Bearer ${person}`],
      ["connection", "close"],
    ];
    const answer = await rawWhole(port, head("GET", "/api/c/laptop/threads", lines));
    expect(answer).not.toContain("x-evil");
  });

  test("for what its ETag names is asked again, and 304 passes without a body", async () => {
    const { engine, port, person } = await withEngine();
    await lab.engine(engine, {
      handler: ({ headers }, outgoing) => {
        outgoing.setHeader("etag", '"H1"');
        outgoing.statusCode = headers["if-none-match"] === '"H1"' ? 304 : 200;
        outgoing.end(outgoing.statusCode === 304 ? "" : "{}");
      },
    });
    const got = async (path: string, ...more: Line[]) => {
      const lines: Line[] = [
        ["host", `127.0.0.1:${port}`],
        ["authorization", `Bearer ${person}`],
        ["connection", "close"],
        ...more,
      ];
      const answer = await rawWhole(port, head("GET", `/api/c/laptop${path}`, lines));
      const [top = "", body] = answer.split("\r\n\r\n");
      const line = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(top)?.[1]?.trim();
      return [top.split(" ")[1], line("cache-control"), line("etag"), body?.includes("{}")];
    };
    const held: Line = ["if-none-match", '"H1"'];
    const kept = "private, no-cache";
    for (const path of ["/threads/T/index", "/threads/T/steps/3", "/cas/0000000000000"]) {
      expect(await got(path)).toEqual(["200", kept, '"H1"', true]);
      expect(await got(path, held)).toEqual(["304", kept, '"H1"', false]);
    }
    // The status of a thread changes while its head stands.
    expect(await got("/threads/T")).toEqual(["200", "no-store", '"H1"', true]);
    expect((await got("/threads/T/index", held, held))[0]).toBe("400");
  });

  test("that its caller leaves ends at the engine", async () => {
    const { engine, origin, as } = await withEngine();
    const left = Promise.withResolvers<void>();
    await lab.engine(engine, {
      handler: (_incoming, outgoing) => {
        outgoing.writeHead(200);
        outgoing.write("x");
        outgoing.on("close", () => left.resolve());
      },
    });
    const leave = new AbortController();
    const response = await fetch(`${origin}/api/c/laptop/events?topics=threads`, {
      headers: as,
      signal: leave.signal,
    });
    expect(response.status).toBe(200);
    leave.abort();
    await left.promise;
  });

  test("whose reader takes nothing is dropped, and holds the engine back until then", async () => {
    const { engine, port, person } = await withEngine({ limits: { stalledMs: 500 } });
    let written = 0;
    const over = Promise.withResolvers<void>();
    await lab.engine(engine, {
      handler: (_incoming, outgoing) => {
        const piece = Buffer.alloc(65_536);
        const more = (): void => {
          while (!outgoing.destroyed && written < 400_000_000) {
            written += piece.length;
            if (!outgoing.write(piece)) {
              outgoing.once("drain", more);
              return;
            }
          }
        };
        outgoing.on("close", () => over.resolve());
        more();
      },
    });
    const socket = createConnection({ host: "127.0.0.1", port });
    sockets.push(socket);
    socket.pause();
    socket.on("error", () => undefined);
    const lines: Line[] = [
      ["host", `127.0.0.1:${port}`],
      ["authorization", `Bearer ${person}`],
    ];
    socket.write(head("GET", "/api/c/laptop/cas/0000000000000", lines));
    await over.promise;
    expect(written).toBeLessThan(40_000_000);
  });

  test("for events gets each of them in order, however slowly it reads, and holds the engine back", async () => {
    const { engine, origin, as } = await withEngine();
    const MANY = 20_000;
    let written = 0;
    await lab.engine(engine, {
      handler: (_incoming, outgoing) => {
        outgoing.setHeader("content-type", "text/event-stream");
        const more = (): void => {
          while (written < MANY) {
            written += 1;
            const isRoom = outgoing.write(`id: ${written}\ndata: ${"x".repeat(1_000)}\n\n`);
            if (isRoom) continue;
            outgoing.once("drain", more);
            return;
          }
          outgoing.end();
        };
        more();
      },
    });
    const headers = { ...as, "accept-encoding": "gzip, br" };
    const response = await fetch(`${origin}/api/c/laptop/events?topics=threads`, { headers });
    // An event does not wait until there is enough to compress.
    expect(response.headers.get("content-encoding")).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(written).toBeLessThan(MANY);
    const ids = [...(await response.text()).matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: MANY }, (_, at) => at + 1));
  });

  test("gets a long text compressed as it likes it, and the same text", async () => {
    const { engine, origin, person } = await withEngine();
    const long = JSON.stringify(Array.from({ length: 5_000 }, (_, n) => ({ n, role: "worker" })));
    await lab.engine(engine, {
      handler: ({ url }, outgoing) => {
        const isBlob = url.includes("/cas/");
        outgoing.setHeader(
          "content-type",
          isBlob ? "application/octet-stream" : "application/json",
        );
        if (url.endsWith("/about")) outgoing.setHeader("content-length", "2");
        outgoing.write(url.endsWith("/about") ? "{}" : long.slice(0, 100));
        if (url.endsWith("/queue")) outgoing.stream.close(2);
        else outgoing.end(url.endsWith("/about") ? "" : long.slice(100));
      },
    });
    const asked = (path: string, accepted: string) =>
      rawAnswer(`${origin}/api/c/laptop${path}`, {
        authorization: `Bearer ${person}`,
        "accept-encoding": accepted,
      });
    for (const [accepted, encoding, unpack] of [
      ["gzip, deflate, br", "br", brotliDecompressSync],
      ["gzip;q=1.0, br;q=0", "gzip", gunzipSync],
      ["identity", undefined, (bytes: Buffer) => bytes],
    ] as const) {
      const { headers, bytes } = await asked("/threads", accepted);
      expect(headers["content-encoding"]).toBe(encoding);
      expect(headers.vary).toBe("accept-encoding");
      expect(unpack(bytes).toString()).toBe(long);
      if (encoding !== undefined) expect(bytes.length).toBeLessThan(long.length / 5);
    }
    for (const path of ["/about", "/cas/0000000000000"])
      expect((await asked(path, "br")).headers["content-encoding"]).toBeUndefined();
    // What breaks in the middle does not look like an end.
    await expect(asked("/queue", "br")).rejects.toThrow();
  });

  test("with a session needs the cookie and the key, and no other gateway's cookie helps", async () => {
    const { engine, origin, person } = await withEngine();
    await lab.engine(engine);
    const page = { origin, headers: { origin } };
    const code = lab.gateway.newCode({ who: "ada", scopes: ["read"], clients: null });
    const logIn = (body: object): Promise<Response> =>
      fetch(`${origin}/api/gateway/login`, {
        method: "POST",
        headers: { origin, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const first = await logIn({ code });
    const cookie = first.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
    const { key } = await json(first);
    const pair = cookie.split(";")[0] ?? "";
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${origin}/api/c/laptop/threads`, { headers })).status;
    expect(await status({ cookie: pair, "x-uwf-key": key })).toBe(200);
    expect(await status({ cookie: pair })).toBe(401);
    expect(await status({ "x-uwf-key": key })).toBe(401);
    expect(await status({ cookie: pair, "x-uwf-key": `${key}x` })).toBe(401);
    expect(await status({ cookie: `${pair}; ${pair}`, "x-uwf-key": key })).toBe(401);
    const logOut = await fetch(`${origin}/api/gateway/logout`, {
      method: "POST",
      headers: { origin, "content-type": "application/json", cookie: pair, "x-uwf-key": key },
      body: "{}",
    });
    expect(await logOut.json()).toEqual({ ended: true });
    expect(logOut.headers.get("set-cookie")).toMatch(/Max-Age=0/);
    expect(logOut.headers.get("clear-site-data")).toBe('"cache"');
    expect(await status({ cookie: pair, "x-uwf-key": key })).toBe(401);
    // A code is used once, an engine's token is nobody's, and a person's buys a session that ends with it.
    expect((await logIn({ code })).status).toBe(401);
    expect((await logIn({ token: engine })).status).toBe(401);
    const bought = await logIn({ token: person });
    const own = {
      cookie: (bought.headers.get("set-cookie") ?? "").split(";")[0] ?? "",
      "x-uwf-key": (await json(bought)).key,
    };
    expect(await status(own)).toBe(200);
    removeToken(lab.files.tokens, "ada");
    await until(async () => (await status(own)) === 401);
    expect(await call({ ...page, headers: { ...own, origin } }, "session")).toMatchObject({
      ok: false,
      error: { status: 401, code: "ACCESS_DENIED" },
    });
  });

  test("is written to the log of calls without its query", async () => {
    const { engine, origin, as } = await withEngine();
    await lab.engine(engine);
    await fetch(`${origin}/api/c/laptop/threads?q=private`, { headers: as });
    await lab.gateway.close();
    const { readFileSync, statSync } = await import("node:fs");
    const text = readFileSync(lab.files.audit, "utf8");
    const row = { who: "ada", client: "laptop", method: "GET", path: "/api/c/laptop/threads" };
    expect(
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .at(-1),
    ).toMatchObject(row);
    expect(text).not.toMatch(/private|uwf_/);
    expect(statSync(lab.files.audit).mode & 0o777).toBe(0o600);
    expect(statSync(lab.files.tokens).mode & 0o777).toBe(0o600);
  });

  test("that is wrong too often is told to wait, while a right one passes", async () => {
    const { origin, as } = await withEngine();
    const status = async (token: string): Promise<number> =>
      (
        await fetch(`${origin}/api/gateway/session`, {
          headers: { authorization: `Bearer ${token}` },
        })
      ).status;
    const wrong: number[] = [];
    for (let n = 0; n < 12; n++)
      wrong.push(await status("uwf_0000000000000000000000000000000000000000000"));
    expect(wrong).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    expect((await fetch(`${origin}/api/gateway/session`, { headers: as })).status).toBe(200);
  });
});

describe("an engine", () => {
  test("is refused for good without a right, and under a name that is taken until that is free", async () => {
    const { engine, person } = await withEngine();
    const { states } = await lab.engine(person);
    expect(states.at(-1)).toMatchObject({ state: "refused", failure: { code: "ACCESS_DENIED" } });
    const first = await lab.engine(engine);
    let isWaiting = false;
    const second = lab.engine(engine, {
      onState: ({ state }) => (isWaiting ||= state === "waiting"),
    });
    void second;
    await until(() => isWaiting);
    await first.end();
  });

  test("comes back by itself after the network broke, as the same one", async () => {
    const gone: string[] = [];
    const { engine, origin, as } = await withEngine({ onClient: ({ state }) => gone.push(state) });
    let session: { destroy(): void } | undefined;
    const { states } = await lab.engine(engine, {
      handler: ({ stream }, outgoing) => {
        session = stream.session;
        outgoing.end();
      },
    });
    const isUp = async (): Promise<boolean> =>
      (await fetch(`${origin}/api/c/laptop/threads`, { headers: as })).ok;
    expect(await isUp()).toBe(true);
    session?.destroy();
    await until(() => states.filter(({ state }) => state === "connected").length === 2);
    expect(states.map(({ state }) => state).slice(1, 4)).toEqual([
      "connected",
      "waiting",
      "connecting",
    ]);
    expect(await isUp()).toBe(true);
    expect(gone).toEqual(["connected", "gone", "connected"]);
  });

  test("whose laptop sleeps for an hour is said to be gone, and is back soon after it wakes", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance", "Date"] });
    const seen: string[] = [];
    const { engine, origin, port, as } = await withEngine({
      onClient: ({ state }) => seen.push(state),
    });
    const network = await sleepyNetwork(port);
    const { states } = await lab.engine(engine, { gateway: network.origin });
    const status = async (): Promise<number> =>
      (await fetch(`${origin}/api/c/laptop/threads`, { headers: as })).status;
    try {
      expect(await status()).toBe(200);
      network.sleep();
      await vi.advanceTimersByTimeAsync(30_000);
      await until(() => seen.at(-1) === "gone");
      expect(seen).toEqual(["connected", "silent", "gone"]);
      expect(await status()).toBe(502);
      vi.setSystemTime(Date.now() + 3_600_000);
      network.wake();
      // The engine heard nothing meanwhile, and its old connection leads nowhere.
      await vi.advanceTimersByTimeAsync(26_000);
      await until(() => states.at(-1)?.state === "connected" && seen.at(-1) === "connected");
      expect(await status()).toBe(200);
    } finally {
      vi.useRealTimers();
      network.close();
    }
  });

  test("replaces its own connection that broke without a word, and nobody else does", async () => {
    const { engine, port, origin, as } = await withEngine();
    const opened = async (instance: string): Promise<string> => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/engine`, "uwf.h2.1", {
        headers: { authorization: `Bearer ${engine}`, "x-uwf-instance": instance },
      });
      socket.on("error", () => undefined);
      webSockets.push(socket);
      const { promise, resolve } = Promise.withResolvers<string>();
      socket.on("open", () => resolve("open"));
      socket.on("unexpected-response", (_request, { statusCode }) => resolve(String(statusCode)));
      return promise;
    };
    const [own, other] = [randomUUID(), randomUUID()];
    expect([await opened(own), await opened(other), await opened(own)]).toEqual([
      "open",
      "409",
      "open",
    ]);
    const [first, , second] = webSockets;
    await until(() => first?.readyState === WebSocket.CLOSED);
    expect(second?.readyState).toBe(WebSocket.OPEN);
    const { clients } = await json(await fetch(`${origin}/api/gateway/endpoints`, { headers: as }));
    expect(clients).toMatchObject([{ name: "laptop", state: "connected" }]);
  });

  test("is put out and stays out once its token is gone", async () => {
    const { engine, origin, as } = await withEngine();
    const { states } = await lab.engine(engine);
    rotateToken(lab.files.tokens, "laptop", Date.now());
    const isUp = async (): Promise<boolean> =>
      (await fetch(`${origin}/api/c/laptop/threads`, { headers: as })).ok;
    expect(await isUp()).toBe(true);
    removeToken(lab.files.tokens, "laptop");
    await until(() => states.at(-1)?.state === "refused");
    expect(await isUp()).toBe(false);
  });

  test("that has not connected yet is away for those who may use it, and unknown to others", async () => {
    const { origin, as } = await withEngine();
    const stranger = { authorization: `Bearer ${lab.token("eve", ["read"], ["tower"])}` };
    const status = async (name: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(`${origin}/api/c/${name}/threads`, { headers })).status;
    expect(await status("laptop", as)).toBe(502);
    expect(await status("laptop", stranger)).toBe(404);
    expect(await status("tower", stranger)).toBe(404);
  });

  test("is one of two hundred that connect at once, beside a thousand half-open sockets", async () => {
    lab = await openLab({ limits: { sockets: 256, headMs: 500 } });
    const { port, origin } = lab.gateway;
    const names = Array.from({ length: 200 }, (_, n) => `engine-${n}`);
    const all = lab.token("all", ["engine"], names);
    const person = lab.token("ada", ["read"]);
    for (let n = 0; n < 1_000; n++) {
      const socket = createConnection({ host: "127.0.0.1", port });
      socket.on("error", () => undefined);
      socket.write("GET / HT");
      sockets.push(socket);
    }
    await Promise.all(names.map((name) => lab.engine(all, { name })));
    const headers = { authorization: `Bearer ${person}` };
    const get = (path: string): Promise<Response> => fetch(`${origin}${path}`, { headers });
    // The half-open ones have to give their room back.
    await until(async () => (await get("/api/gateway/endpoints").catch(() => null))?.ok === true);
    const found = await json(await get("/api/gateway/endpoints"));
    expect(
      found.clients.filter(({ state }: { state: string }) => state === "connected").length,
    ).toBe(200);
    expect((await get("/api/c/engine-199/threads")).status).toBe(200);
  }, 60_000);
});
