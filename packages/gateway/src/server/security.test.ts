import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HEADERS_OF_ALL } from "./answer.ts";
import {
  head,
  type Lab,
  type Line,
  openLab,
  raw,
  rawStatus,
  rawWhole,
} from "./gateway.test.helper.ts";

let lab: Lab;
let tokens: { read: string; run: string; other: string; engine: string };
let origin: string;
let host: string;
let port: number;

beforeAll(async () => {
  lab = await openLab();
  tokens = {
    read: lab.token("reader", ["read"], ["laptop"]),
    run: lab.token("runner", ["read", "run"], ["laptop"]),
    other: lab.token("stranger", ["read", "run", "answer", "edit"], ["tower"]),
    engine: lab.token("laptop", ["engine"], ["laptop"]),
  };
  ({ origin, port } = lab.gateway);
  host = `127.0.0.1:${port}`;
  await lab.engine(tokens.engine);
});
afterAll(() => lab.close());

/** In groups, so that a machine with few sockets to spare has enough. */
async function statuses(requests: readonly string[]): Promise<number[]> {
  const found: number[] = [];
  for (let at = 0; at < requests.length; at += 50)
    found.push(
      ...(await Promise.all(requests.slice(at, at + 50).map((text) => rawStatus(port, text)))),
    );
  return found;
}

describe("a request", () => {
  test("passes only with the exact host, from the gateway's own page or a program, and with the right", async () => {
    const hosts: [string, boolean][] = [
      [host, true],
      [`localhost:${port}`, false],
      ["127.0.0.1", false],
      [`127.0.0.1:${port + 1}`, false],
      [`127.1:${port}`, false],
      [`evil.example:${port}`, false],
      [`127.0.0.1.evil.example:${port}`, false],
      [`[::ffff:127.0.0.1]:${port}`, false],
    ];
    const origins: [string | null, boolean][] = [
      [null, false],
      [origin, true],
      ["null", false],
      ["http://evil.example", false],
      [`${origin}.evil.example`, false],
      [origin.replace("127.0.0.1", "localhost"), false],
      [origin.replace(/:\d+$/, ":1"), false],
      [origin.replace("http:", "https:"), false],
    ];
    const sites: [string | null, boolean][] = [
      [null, true],
      ["same-origin", true],
      ["same-site", false],
      ["cross-site", false],
      ["none", false],
    ];
    const rights = [
      [null, 401, 401],
      ["read", 200, 403],
      ["run", 200, 200],
      ["other", 404, 404],
      ["wrong", 401, 401],
    ] as const;
    const routes: [method: "GET" | "POST", path: string][] = [
      ["GET", "/api/c/laptop/threads"],
      ["POST", "/api/c/laptop/threads"],
    ];
    const cases: { text: string; want: number[] }[] = [];
    for (const [method, path] of routes)
      for (const [name, isHost] of hosts)
        for (const [from, isOrigin] of origins)
          for (const [site, isSite] of sites)
            for (const [right, mayRead, mayRun] of rights) {
              const isWrite = method === "POST";
              const lines: Line[] = [["host", name]];
              if (from !== null) lines.push(["origin", from]);
              if (site !== null) lines.push(["sec-fetch-site", site]);
              if (isWrite) lines.push(["content-type", "application/json"]);
              if (right !== null)
                lines.push([
                  "authorization",
                  `Bearer ${right === "wrong" ? "uwf_0123456789012345678901234567890123456789012" : tokens[right]}`,
                ]);
              const isFromHere = (from === null ? !isWrite : isOrigin) && isSite;
              const allowed = isWrite ? mayRun : mayRead;
              const want = !isHost
                ? [421]
                : !isFromHere
                  ? [403]
                  : right === "wrong"
                    ? [401, 429]
                    : [allowed];
              cases.push({ text: head(method, path, lines, isWrite ? "{}" : ""), want });
            }
    expect(cases.length).toBe(3_200);
    const found = await statuses(cases.map(({ text }) => text));
    const off = cases.flatMap(({ text, want }, at) =>
      want.includes(found[at] ?? 0) ? [] : [{ text, want, found: found[at] }],
    );
    expect(off.slice(0, 3)).toEqual([]);
    // Two wrong ones in a row are not the same as ten: a right one still passes.
    const right: Line[] = [
      ["host", host],
      ["authorization", `Bearer ${tokens.read}`],
    ];
    expect(await rawStatus(port, head("GET", "/api/c/laptop/threads", right))).toBe(200);
  }, 60_000);

  test("with two meanings is refused", async () => {
    const auth: Line = ["authorization", `Bearer ${tokens.run}`];
    const at: Line = ["host", host];
    const get = (...lines: Line[]): string => head("GET", "/api/c/laptop/threads", lines);
    const post = (body: string, ...lines: Line[]): string =>
      head("POST", "/api/c/laptop/threads", [at, auth, ["origin", origin], ...lines], body);
    const json: Line = ["content-type", "application/json"];
    const cases: [string, number[]][] = [
      [get(auth), [421]],
      [get(at, at, auth), [421]],
      [get(at, ["Host", "evil.example"], auth), [421]],
      [get(at, auth, auth), [400]],
      [get(at, auth, ["Authorization", "Bearer x"]), [400]],
      [get(at, auth, ["origin", origin], ["origin", "http://evil.example"]), [400]],
      [get(at, auth, ["cookie", "a=1"], ["cookie", "b=2"]), [400]],
      [post("{}", json, ["if-match", ""]), [400]],
      [post("{}", json, ["if-none-match", "*"]), [400]],
      [post("{}", json, ["if-match", '"a"'], ["if-match", '"b"']), [400]],
      [get(at, auth, ["sec-fetch-site", "same-origin"], ["sec-fetch-site", "cross-site"]), [400]],
      [head("GET", "http://evil.example/api/c/laptop/threads", [at, auth]), [400]],
      [head("GET", "//evil.example/api/c/laptop/threads", [at, auth]), [400]],
      [head("GET", "*", [at, auth]), [400]],
      [head("OPTIONS", "*", [at, auth]), [400, 405]],
      [head("CONNECT", "evil.example:80", [at, auth]), [0, 400, 404, 405]],
      [head("TRACE", "/", [at, auth]), [405]],
      [head("DELETE", "/api/c/laptop/threads", [at, auth, ["origin", origin]]), [405]],
      [head("GET", "/api/c/laptop/threads?token=x", [at, auth]), [400]],
      [head("GET", "/api/c/laptop/threads?access_token=x", [at, auth]), [400]],
      [head("GET", "/?code=x", [at]), [400]],
      [head("GET", "/?%74oken=x", [at]), [400]],
      [head("GET", "/api/c/laptop/threads?Authorization=x", [at, auth]), [400]],
      [post("{}"), [415]],
      [post("{}", ["content-type", "text/plain"]), [415]],
      [post("{}", ["content-type", "application/x-www-form-urlencoded"]), [415]],
      [post("{}", ["content-type", "multipart/form-data; boundary=x"]), [415]],
      [post("{}", json, ["content-encoding", "gzip"]), [415]],
      // Smuggling: two lengths, a length and chunks, chunks that are none, a folded line, a bare end of line.
      [post("{}", json, ["content-length", "5"]), [400]],
      [post("{}", json, ["transfer-encoding", "chunked"]), [400]],
      [post("", json, ["transfer-encoding", "chunked, identity"]), [400]],
      [post("", json, ["transfer-encoding", "xchunked"]), [400]],
      [
        `GET / HTTP/1.1\r\nhost: ${host}\r\nx-a: 1\r\n y: 2\r\nauthorization : Bearer x\r\n\r\n`,
        [400],
      ],
      [`GET / HTTP/1.1\nhost: ${host}\n\n`, [400]],
      [`GET / HTTP/1.1\r\nhost: ${host}\r\nx-a: \u0000\r\n\r\n`, [400]],
      [`GET / HTTP/1.1\r\nhost: ${host}\r\nx: ${"a".repeat(17_000)}\r\n\r\n`, [431]],
      ["GET / HTTP/0.9\r\n\r\n", [421]],
      [`GET /api/c/laptop/threads HTTP/1.0\r\n\r\n`, [421]],
    ];
    const found = await statuses(cases.map(([text]) => text));
    const off = cases.flatMap(([text, want], at) =>
      want.includes(found[at] ?? 0) ? [] : [{ text: text.slice(0, 200), want, found: found[at] }],
    );
    expect(off).toEqual([]);
  });

  test("names an engine of its own and an endpoint of the contract, and learns nothing of others", async () => {
    const as = (token: string): Line[] => [
      ["host", host],
      ["authorization", `Bearer ${token}`],
    ];
    const get = (path: string, token: string): Promise<number> =>
      rawStatus(port, head("GET", path, as(token)));
    expect(await get("/api/c/laptop/threads", tokens.other)).toBe(404);
    expect(await get("/api/c/tower/threads", tokens.other)).toBe(404);
    expect(await get("/api/c/nothing/threads", tokens.run)).toBe(404);
    for (const path of ["", "/", "/x", "/../gateway/access", "/%2e%2e/x", "/threads/", "/hooks/x"])
      expect([path, await get(`/api/c/laptop${path}`, tokens.run)]).toEqual([path, 404]);
    expect(await get("/api/gateway/access", tokens.run)).toBe(403);
    expect(await get("/api/gateway/endpoints", tokens.engine)).toBe(200);
    expect(await get("/api/c/laptop/threads", tokens.engine)).toBe(403);
    expect(await raw(port, head("GET", "/api/nothing", [["host", host]]))).toContain(" 401 ");
  });

  test("is upgraded only at /engine, only for programs, and only with an engine's token", async () => {
    const upgrade: Line[] = [
      ["host", host],
      ["connection", "Upgrade"],
      ["upgrade", "websocket"],
      ["sec-websocket-version", "13"],
      ["sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="],
      ["sec-websocket-protocol", "uwf.h2.1"],
      ["x-uwf-instance", "00000000-0000-4000-8000-000000000000"],
    ];
    const as = (name: keyof typeof tokens): Line => ["authorization", `Bearer ${tokens[name]}`];
    const without = (name: string): Line[] => upgrade.filter(([each]) => each !== name);
    const at = (path: string, lines: readonly Line[]): string => head("GET", path, lines);
    const cases: [string, number][] = [
      [at("/engine", upgrade), 401],
      [at("/engine", [...upgrade, as("run")]), 403],
      [at("/engine", [...upgrade, as("other")]), 403],
      [at("/engine", [...upgrade, as("engine"), ["origin", origin]]), 403],
      [at("/engine", [...upgrade, as("engine"), ["origin", "http://evil.example"]]), 403],
      [at("/engine", [...upgrade, as("engine"), ["sec-fetch-site", "same-origin"]]), 403],
      [at("/engine", [...upgrade, as("engine"), ["x-uwf-name", "tower"]]), 403],
      [at("/engine", [...upgrade, as("engine")]), 409],
      [at("/engine?x=1", [...upgrade, as("engine")]), 404],
      [at("/engine/", [...upgrade, as("engine")]), 404],
      [at("/", [...upgrade, as("engine")]), 404],
      [at("/api/c/laptop/events", [...upgrade, as("run")]), 404],
      [at("/engine", [...without("sec-websocket-protocol"), as("engine")]), 400],
      [at("/engine", [...without("x-uwf-instance"), as("engine")]), 400],
      [at("/engine", [...without("host"), as("engine")]), 421],
      [at("/engine", [...without("upgrade"), ["upgrade", "h2c"], as("engine")]), 404],
      [head("POST", "/engine", [...upgrade, as("engine")]), 415],
    ];
    const found = await statuses(cases.map(([text]) => text));
    expect(found).toEqual(cases.map(([, want]) => want));
  });

  test("of a sender of webhooks comes without an origin, and passes on only what signs it", async () => {
    const lines: Line[] = [
      ["host", host],
      ["content-type", "application/json"],
      ["x-hub-signature-256", "sha256=00"],
      ["x-uwf-who", "root"],
      ["authorization", "Bearer x"],
    ];
    const send = (more: readonly Line[] = [], path = "/hooks/laptop/push"): Promise<string> =>
      raw(port, head("POST", path, [...lines, ...more], "{}"));
    expect(await send([["origin", origin]])).toContain(" 403 ");
    expect(await send([["sec-fetch-site", "cross-site"]])).toContain(" 403 ");
    expect(await send([], "/hooks/nobody/push")).toContain(" 404 ");
    expect(await send([], "/hooks/laptop/push/more")).toContain(" 404 ");
    expect(await send()).toContain(" 200 ");
  });

  test("gets no answer that another site could show or a browser could run", async () => {
    for (const path of [
      "/",
      "/c/laptop/threads",
      "/api/nothing",
      "/nothing.js",
      "/..%2f..%2fetc/passwd",
    ]) {
      const answer = await raw(port, head("GET", path, [["host", host]]));
      expect(answer).toContain("content-security-policy: default-src 'none'; script-src 'self'");
      expect(answer).toContain("require-trusted-types-for 'script'");
      expect(answer).toContain("x-content-type-options: nosniff");
      expect(answer).toContain("x-frame-options: DENY");
      expect(answer.toLowerCase()).not.toContain("access-control-allow");
    }
  });
});

describe("a page", () => {
  const page = (lines: readonly Line[]): Promise<number> =>
    rawStatus(port, head("GET", "/c/laptop/threads", [["host", host], ...lines]));

  test("may be linked to, but not fetched or framed, by other sites", async () => {
    expect(await page([["sec-fetch-site", "none"]])).toBe(200);
    expect(
      await page([
        ["sec-fetch-site", "cross-site"],
        ["sec-fetch-mode", "navigate"],
      ]),
    ).toBe(200);
    expect(
      await page([
        ["sec-fetch-site", "cross-site"],
        ["sec-fetch-mode", "no-cors"],
      ]),
    ).toBe(403);
    expect(await page([["origin", "http://evil.example"]])).toBe(403);
  });

  test("is served as it was built, compressed as the browser takes it, under its policy", async () => {
    const folder = join(lab.folder, "built");
    mkdirSync(join(folder, "assets"), { recursive: true });
    const files = { "index.html": "<!doctype html>", "assets/a-1.js": "let a;", "b.svg": "<svg/>" };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    for (const ending of ["br", "gz"])
      writeFileSync(join(folder, `assets/a-1.js.${ending}`), `bytes of ${ending}`);
    const built = await openLab({ page: folder });
    const { port: at } = built.gateway;
    const got = async (path: string, accepted: string, method = "GET") => {
      const lines: Line[] = [
        ["host", `127.0.0.1:${at}`],
        ["accept-encoding", accepted],
        ["connection", "close"],
      ];
      const [top = "", body] = (await rawWhole(at, head(method, path, lines))).split("\r\n\r\n");
      const line = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(top)?.[1]?.trim();
      expect(line("content-security-policy")).toBe(HEADERS_OF_ALL["content-security-policy"]);
      expect(line("vary")).toBe("accept-encoding");
      expect(line("content-length")).toBe(
        String(method === "HEAD" ? line("content-length") : body?.length),
      );
      const cache = line("cache-control")?.includes("immutable") ? "for ever" : "asked again";
      return [top.split(" ")[1], line("content-type"), line("content-encoding"), cache, body];
    };
    const js = "text/javascript; charset=utf-8";
    const html = "text/html; charset=utf-8";
    try {
      const script = "/assets/a-1.js";
      expect(await got(script, "gzip, br")).toEqual(["200", js, "br", "for ever", "bytes of br"]);
      expect(await got(script, "gzip")).toEqual(["200", js, "gzip", "for ever", "bytes of gz"]);
      expect(await got(script, "br;q=0")).toEqual(["200", js, undefined, "for ever", "let a;"]);
      expect(await got(script, "br", "HEAD")).toEqual(["200", js, "br", "for ever", ""]);
      const page = ["200", html, undefined, "asked again", "<!doctype html>"];
      expect(await got("/", "gzip, br")).toEqual(page);
      expect(await got("/c/laptop/threads", "gzip, br")).toEqual(page);
      expect((await got("/b.svg", "br"))[1]).toBe("image/svg+xml");
    } finally {
      await built.close();
    }
  });
});

test("a public address with the port that browsers leave out is the one without", async () => {
  const named = await openLab({ publicOrigin: "https://flows.example.com:443" });
  const asked = (name: string) =>
    rawStatus(named.gateway.port, head("GET", "/api/gateway/session", [["host", name]]));
  expect(named.gateway.origin).toBe("https://flows.example.com");
  expect(await asked("flows.example.com")).toBe(401);
  expect(await asked("flows.example.com:443")).toBe(421);
  await named.close();
});
