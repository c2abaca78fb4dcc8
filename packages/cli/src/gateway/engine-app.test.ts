/** The engine's API as it is served: over HTTP/2, by the adapter. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type ClientHttp2Session, connect, createServer, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SCHEMAS } from "@uncaged/workflow-gateway/schemas";
import { ownIdentity } from "@uncaged/workflow-util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fakeIo } from "../command/io.test.helper.ts";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";
import { withEngineApi } from "./serve-engine.ts";

const MIB = 1_048_576;
const PIECE = 65_536;

let server: Http2Server;
let session: ClientHttp2Session;
let folder: string;
let io: Io;
let end: () => Promise<void>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "uwf-engine-app-"));
  io = fakeIo({ env: { WORKFLOW_STORAGE_ROOT: join(folder, "root"), HOME: folder } });
  const over = Promise.withResolvers<void>();
  const up = Promise.withResolvers<void>();
  const done = withEngineApi(["read", "run", "edit"], io, async (handler) => {
    server = createServer(handler).listen(0, "127.0.0.1");
    await once(server, "listening");
    up.resolve();
    await over.promise;
  });
  await Promise.race([up.promise, done]);
  session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  end = async () => {
    session.destroy();
    server.close();
    over.resolve();
    await done;
  };
});
afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends `bytes` of a body that is no JSON, in pieces, without saying how many they are. */
async function sent(path: string, bytes: number): Promise<{ status: number; body: string }> {
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/json",
    "x-uwf-scope": "read run edit signed",
  });
  stream.on("error", () => undefined);
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !stream.destroyed) {
      left -= PIECE;
      if (stream.write(Buffer.alloc(Math.min(left + PIECE, PIECE), "x"))) continue;
      stream.once("drain", more);
      return;
    }
    stream.end();
  };
  more();
  const [head] = await once(stream, "response");
  let body = "";
  for await (const chunk of stream.setEncoding("utf8")) body += chunk;
  return { status: Number(head[":status"]), body };
}

describe("a body", () => {
  it.each(["/workflows/check", "/hooks/push"])(
    "of more than 1 MiB is refused at %s",
    async (path) => {
      for (const bytes of [MIB + 1, 20 * MIB]) {
        const { status, body } = await sent(path, bytes);
        expect(status).toBe(413);
        expect(JSON.parse(body)).toMatchObject({ error: { code: "REQUEST_REFUSED" } });
      }
    },
  );

  it("of 1 MiB is read to its end, and the connection goes on after one that was refused", async () => {
    const whole = await sent("/workflows/check", MIB);
    expect(whole).toMatchObject({ status: 400, body: expect.stringContaining("not JSON") });
    expect((await sent("/hooks/push", MIB)).status).toBe(401);
  });
});

describe("events", () => {
  it("of a reader who stands at a place that nobody knows begin with a reset", async () => {
    const stream = session.request({
      ":path": "/events?topics=threads,inbox",
      "last-event-id": "of another program",
      "x-uwf-scope": "read",
    });
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) {
      text += chunk;
      if (text.includes("ready")) break;
    }
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
    const resets = ["threads", "inbox"].map((topic) => ({ type: "reset", topic }));
    expect(events).toEqual([...resets, { type: "ready" }]);
  });
});

/** The status and body of a call without a body, with its ETag. */
async function got(path: string, headers: Record<string, string>) {
  const asked = { ":path": path, "x-uwf-scope": "read run edit", ...headers };
  const stream = session.request(asked, { endStream: true });
  const [head] = await once(stream, "response");
  let body = "";
  for await (const chunk of stream.setEncoding("utf8")) body += chunk;
  return { status: Number(head[":status"]), etag: head.etag, body };
}

describe("a condition", () => {
  it("that names what the caller has gets 304 without the bytes, and any other the whole", async () => {
    const put = session.request({
      ...{ ":method": "POST", ":path": "/cas", "x-uwf-scope": "run" },
      "content-type": "application/octet-stream",
    });
    put.end("a long report");
    let told = "";
    for await (const chunk of put.setEncoding("utf8")) told += chunk;
    const path = `/cas/${JSON.parse(told).hash}`;
    const { etag, ...first } = await got(path, {});
    expect(first).toMatchObject({ status: 200, body: expect.stringContaining("a long report") });
    for (const held of [etag, `W/${etag}`, `"other", ${etag}`, "*"])
      expect(await got(path, { "if-none-match": held })).toEqual({ status: 304, etag, body: "" });
    for (const other of ['"other"', etag.slice(1, -1), `${etag}x`, `x${etag}`, ""])
      expect(await got(path, { "if-none-match": other })).toEqual({ ...first, etag });
    const gone = await got("/cas/0000000000000", { "if-none-match": '"0000000000000"' });
    expect(gone.status).toBe(404);
  });

  it.each(["abc", '"a", "b"', "*", '""', ""])("If-Match: %s holds a change back", async (tag) => {
    const change = { ":method": "POST", "content-type": "application/json", "if-match": tag };
    const { status, body } = await got("/queue/pause", change);
    expect([status, body]).toEqual([400, expect.stringContaining("If-Match")]);
  });
});

/** Calls without a body of any size, with the scopes of a person. */
async function ask(method: "GET" | "POST", path: string, scope: string) {
  const stream = session.request({
    ":method": method,
    ":path": path,
    "content-type": "application/json",
    "x-uwf-scope": scope,
  });
  stream.end(method === "POST" ? "{}" : undefined);
  const [head] = await once(stream, "response");
  let body = "";
  for await (const chunk of stream.setEncoding("utf8")) body += chunk;
  return { status: Number(head[":status"]), value: JSON.parse(body) };
}

it("workers are told with what they run and without their processes", async () => {
  const facts = { host: "rack-2", pools: ["gpu"], labels: ["big"], atOnce: 4, version: "1.4.0" };
  const worker = { worker: "rack-2-a81mfe", process: ownIdentity(), ...facts };
  await withEngine(io, ({ workers }) => workers.beat({ ...worker, nowMs: Date.now() }));
  const { value: told } = await ask("GET", "/workers", "read");
  expect(SCHEMAS.listWorkers.response.parse(told)).toEqual(told);
  expect(told).toMatchObject({
    workers: [{ worker: "rack-2-a81mfe", ...facts, drainingAt: null, stale: false, threads: [] }],
  });
});

it("a worker is drained by its whole name, by those who may run threads", async () => {
  const facts = { host: "rack-3", pools: ["slow"], labels: [], atOnce: null, version: "1.4.0" };
  const worker = { worker: "rack-3-b82ngf", process: ownIdentity(), ...facts };
  const beat = () =>
    withEngine(io, ({ workers }) => workers.beat({ ...worker, nowMs: Date.now() }));
  expect(await beat()).toBe(false);
  expect(await ask("POST", "/workers/rack-3-b82ngf/drain", "read answer edit")).toMatchObject({
    status: 403,
  });
  expect(await ask("POST", "/workers/rack-3/drain", "read run")).toMatchObject({
    status: 404,
    value: { error: { code: "WORKER_NOT_FOUND" } },
  });
  expect(await beat()).toBe(false);
  expect(await ask("POST", "/workers/rack-3-b82ngf/drain", "read run")).toEqual({
    status: 200,
    value: { worker: "rack-3-b82ngf", ended: false },
  });
  expect(await beat()).toBe(true);
});
