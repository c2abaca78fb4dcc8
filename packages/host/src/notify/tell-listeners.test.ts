import { createHmac } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Notice, ThreadStore } from "@uncaged/workflow-protocol";
import { memoryThreadStore } from "@uncaged/workflow-store";
import { newThreadId, ownIdentity } from "@uncaged/workflow-util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Telling, tellListeners } from "./tell-listeners.ts";

const HASH = "0".repeat(13);
const SHA256 = "0".repeat(64);

type Received = { headers: IncomingHttpHeaders; body: string };

let root: string;
let nowMs: number;
let store: ThreadStore;
let said: string[];
let ending: AbortController;
let telling: Telling;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "notify-"));
  nowMs = 1_700_000_000_000;
  store = memoryThreadStore();
  said = [];
  ending = new AbortController();
  const engine = { root, store, now: () => nowMs };
  telling = tellListeners(engine, {
    signal: ending.signal,
    say: (line) => said.push(line),
    env: { PATH: process.env.PATH, HOOK: "whsec_c2VjcmV0IGtleQ==" },
  });
});
afterEach(() => rm(root, { recursive: true, force: true }));

function configure(notify: object): void {
  const path = join(root, "workflow.yaml");
  rmSync(path, { force: true });
  writeFileSync(path, JSON.stringify({ config: { notify } }), { mode: 0o600 });
}

/** A thread that has just failed, or waits for a person. */
async function happened(event: "failed" | "waits", labels = {}): Promise<string> {
  const threadId = newThreadId(nowMs);
  await store.create(
    {
      ...{ threadId, workflow: "review", bundleHash: HASH, startHash: HASH, head: HASH, labels },
      ...{ headSha256: SHA256, stepCount: 0, depth: 0, parentThread: null, cwd: "/" },
      ...{ forkedFrom: null, startedAt: nowMs, createdAt: nowMs, title: "The \0 title" },
    },
    null,
  );
  const by = { process: ownIdentity(), ttlMs: 1_000, nowMs, replaces: null };
  const { fence } = await store.acquire({ threadId, ...by });
  const failed = { status: "failed", returnCode: 1, summary: "no" } as const;
  const move = { threadId, fence, from: HASH, to: HASH, toSha256: SHA256, nowMs };
  const waits = [{ role: "planner", message: "Which?" }] as const;
  if (event === "failed") await store.finish({ ...move, ...failed });
  else await store.release({ threadId, fence, nowMs, to: { status: "suspended", waits } });
  return threadId;
}

describe("a webhook", () => {
  let server: Server;
  let received: Received[];
  let answers: { status: number; headers?: Record<string, string> }[];
  let url: string;
  beforeEach(async () => {
    received = [];
    answers = [];
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      const { status, headers } = answers.shift() ?? { status: 204 };
      response.writeHead(status, headers).end();
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", resolve);
    await promise;
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}/hook`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it("is sent what happened, signed so that the receiver can check it", async () => {
    configure({ team: { url, secret: "$HOOK" } });
    await telling.look();
    const threadId = await happened("waits", { team: "docs" });
    await telling.look();
    const [{ headers, body }] = received as [Received];
    const notice: Notice = JSON.parse(body);
    expect(notice).toMatchObject({
      ...{ event: "waits", at: nowMs, threadId, workflow: "review", title: "The \0 title" },
      ...{ labels: { team: "docs" }, wait: { role: "planner", message: "Which?" }, ending: null },
    });
    expect(headers["webhook-id"]).toBe(notice.id);
    expect(headers["content-type"]).toBe("application/json");
    const signed = `${notice.id}.${headers["webhook-timestamp"]}.${body}`;
    const digest = createHmac("sha256", "secret key").update(signed).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${digest}`);
    expect(await store.notices({})).toEqual([]);
    await telling.look();
    expect(received).toHaveLength(1);
  });

  it("that fails is sent the same again, each time twice as much later", async () => {
    configure({ team: { url } });
    await telling.look();
    await happened("failed");
    answers = [{ status: 503 }, { status: 500 }, { status: 302, headers: { location: url } }];
    for (const [after, times] of [
      [0, 1],
      [999, 1],
      [1, 2],
      [1_999, 2],
      [1, 3],
      [4_000, 4],
    ] as const) {
      nowMs += after;
      await telling.look();
      expect(received).toHaveLength(times);
    }
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(received[0]?.headers["webhook-signature"]).toBeUndefined();
    expect(said).toEqual([
      expect.stringMatching(/^team could not be told of .*: it answered 503$/),
    ]);
    expect(await store.notices({})).toEqual([]);
  });

  it("is given the time that it asks for", async () => {
    configure({ team: { url } });
    await telling.look();
    await happened("failed");
    answers = [{ status: 429, headers: { "retry-after": "60" } }];
    await telling.look();
    expect(await store.notices({})).toMatchObject([
      { attempts: 1, dueAt: nowMs + 60_000, fault: "it answered 429" },
    ]);
  });

  it("is sent only what passes its filter; nothing else stays pending", async () => {
    configure({
      failed: { url: `${url}/failed`, events: ["failed"] },
      docs: { url: `${url}/docs`, labels: { team: "docs" } },
      other: { url: `${url}/other`, workflows: ["other"] },
    });
    await telling.look();
    await happened("failed");
    await happened("waits", { team: "docs", tier: "1" });
    await telling.look();
    expect(received).toHaveLength(2);
    expect(await store.notices({})).toEqual([]);
  });

  it("whose secret is not set is sent nothing unsigned", async () => {
    configure({ team: { url, secret: "$NONE" } });
    await telling.look();
    await happened("failed");
    await telling.look();
    expect(received).toEqual([]);
    expect((await store.notices({}))[0]?.fault).toContain("environment variable NONE");
  });

  it("that does not exist delays no other listener", async () => {
    const { port } = server.address() as AddressInfo;
    configure({ gone: { url: "http://127.0.0.1:1/" }, team: { url: `http://localhost:${port}/` } });
    await telling.look();
    await happened("failed");
    await telling.look();
    expect(received).toHaveLength(1);
    const pending = await store.notices({});
    expect(pending.map(({ listener }) => listener)).toEqual(["gone"]);
    expect(pending[0]?.fault).toMatch(/ECONNREFUSED|bad port/);
  });
});

describe("a command", () => {
  const script = `
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { UNCAGED_NOTICE_ID, UNCAGED_NOTICE_EVENT, UNCAGED_THREAD_ID, UNCAGED_WORKFLOW } = process.env;
const { writeFileSync, existsSync } = await import("node:fs");
if (!existsSync("well")) { console.error("not \\x1b[1mwell"); process.exit(3); }
writeFileSync("told", JSON.stringify({ notice: JSON.parse(text), words: process.argv.slice(2),
  env: { UNCAGED_NOTICE_ID, UNCAGED_NOTICE_EVENT, UNCAGED_THREAD_ID, UNCAGED_WORKFLOW } }));
`;

  it("reads what happened, and is run again until it succeeds", async () => {
    writeFileSync(join(root, "tell.mjs"), script);
    configure({ desk: { command: [process.execPath, "tell.mjs", "a b"] } });
    await telling.look();
    const threadId = await happened("failed");
    await telling.look();
    const [{ id, fault, dueAt }] = (await store.notices({})) as [
      Awaited<ReturnType<ThreadStore["notices"]>>[number],
    ];
    expect(fault).toMatch(/^it ended with 3: not .*well$/);
    expect(existsSync(join(root, "told"))).toBe(false);
    writeFileSync(join(root, "well"), "");
    nowMs = dueAt;
    await telling.look();
    expect(JSON.parse(readFileSync(join(root, "told"), "utf8"))).toEqual({
      notice: expect.objectContaining({ id, event: "failed", threadId }),
      words: ["a b"],
      env: {
        UNCAGED_NOTICE_ID: id,
        UNCAGED_NOTICE_EVENT: "failed",
        UNCAGED_THREAD_ID: threadId,
        UNCAGED_WORKFLOW: "review",
      },
    });
    expect(await store.notices({})).toEqual([]);
  });

  it("that does not exist is shown as pending", async () => {
    configure({ desk: { command: ["./no-such-program"] } });
    await telling.look();
    await happened("failed");
    await telling.look();
    expect((await store.notices({}))[0]?.fault).toContain("ENOENT");
  });

  it("that reads nothing is told all the same", async () => {
    configure({ desk: { command: ["true"] } });
    await telling.look();
    await happened("failed", Object.fromEntries([["big", "x".repeat(1_000_000)]]));
    await telling.look();
    expect(await store.notices({})).toEqual([]);
  });

  it("that is under way when the host ends, is ended and told again", async () => {
    configure({ desk: { command: ["sh", "-c", "touch begun; exec sleep 1000"] } });
    await telling.look();
    await happened("failed");
    const looked = telling.look();
    while (!existsSync(join(root, "begun"))) await new Promise(setImmediate);
    ending.abort();
    await looked;
    expect(await store.notices({})).toMatchObject([{ attempts: 0, fault: null }]);
  });
});

it("a configuration that is broken is said once, and listeners stay what they were", async () => {
  configure({ desk: { command: ["true"] } });
  await telling.look();
  configure({ desk: {} });
  await telling.look();
  await telling.look();
  expect(said).toEqual([
    expect.stringContaining("config.notify.desk must have a command or a url"),
  ]);
  await happened("failed");
  await telling.look();
  expect(await store.notices({})).toHaveLength(1);
  configure({ desk: { command: ["true"] } });
  await telling.look();
  expect(await store.notices({})).toEqual([]);
});
