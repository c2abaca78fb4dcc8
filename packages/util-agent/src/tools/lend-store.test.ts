/** The socket of a step's store, against what an agent could send it. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import {
  parseJson,
  STEP_STORE_ENV,
  STEP_STORE_REQUEST_BYTES,
  type StepStoreAddress,
  type StepTaskRequest,
} from "@uncaged/workflow-protocol";
import { redactor } from "@uncaged/workflow-util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type LentStore, lendStore } from "./lend-store.ts";

const THREAD = "01JABCDEFGHJKMNPQRSTVWXYZ0";
const HASH = "0123456789ABC";
const PASS = "open sesame";
const TASK = { repository: "/repo/.git", id: "a" };
const MOVE = {
  ...{ op: "move", ...TASK, revision: 1, token: null, to: "FAILED", set: {} },
  message: { type: "task_failed", who: null, text: null },
};

const stored: string[] = [];
/** Commands that waited until nobody listened. */
const ended: string[] = [];
const asked: StepTaskRequest[] = [];
let lent: LentStore;
let address: StepStoreAddress;

beforeEach(async () => {
  stored.length = 0;
  ended.length = 0;
  asked.length = 0;
  lent = await lendStore(
    { root: "/storage", pass: PASS },
    {
      threadId: THREAD,
      cas: {
        async get(hash) {
          return hash === HASH ? "a blob" : null;
        },
        async put(text) {
          stored.push(text);
          return HASH;
        },
      },
      readThread: async ({ before }) => ({ page: { before }, text: "the conversation" }),
      async askTasks(request) {
        asked.push(request);
        return { ok: true, value: { task: null } };
      },
      async runCommand(command, { say, signal }) {
        await say({ to: "stderr", text: "begun\n" });
        await say({ to: "stdout", text: JSON.stringify(command) });
        if (command.words[0] === "wait") {
          if (!signal.aborted) await once(signal, "abort");
          ended.push(command.words.join(" "));
        }
        return { ok: true, value: 7 };
      },
      redact: redactor({ env: { PGPASSWORD: "hunter2hunter2" } }),
    },
  );
  address = JSON.parse(lent.env[STEP_STORE_ENV] ?? "");
});
afterEach(() => lent.close());

/** What comes back until the connection is closed. "": nothing. */
function send(bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const connection = connect(address.socket);
    connection.on("data", (chunk) => {
      answer += chunk;
    });
    connection.on("error", () => {});
    connection.on("close", () => resolve(answer));
    connection.end(bytes);
  });
}

async function ask(request: object): Promise<unknown> {
  return parseJson(await send(`${JSON.stringify(request)}\n`));
}

it("answers who knows the pass", async () => {
  expect(address.root).toBe("/storage");
  expect(await ask({ call: "get", pass: PASS, hash: HASH })).toEqual({ ok: true, blob: "a blob" });
  expect(await ask({ call: "put", pass: PASS, text: "with hunter2hunter2" })).toEqual({
    ok: true,
    hash: HASH,
  });
  expect(stored).toEqual(["with [PGPASSWORD]"]);
  const page = { budgetChars: null, before: 4 };
  expect(await ask({ call: "context", pass: PASS, thread: THREAD.toLowerCase(), ...page })).toEqual(
    { ok: true, page: { before: 4 }, text: "the conversation" },
  );
});

it.each([
  ["another pass of the same length", { call: "put", pass: "open sesamE", text: "x" }],
  ["a part of the pass", { call: "put", pass: "open", text: "x" }],
  ["no pass", { call: "put", text: "x" }],
  ["a pass that is no text", { call: "put", pass: [PASS], text: "x" }],
  ["a call that is not served", { call: "list", pass: PASS }],
  ["a text that is none", { call: "put", pass: PASS, text: { length: 3 } }],
  [
    "a page from before the first",
    { call: "context", pass: PASS, thread: THREAD, budgetChars: null, before: 0 },
  ],
  [
    "another thread",
    {
      call: "context",
      pass: PASS,
      thread: "01JABCDEFGHJKMNPQRSTVWXYZ1",
      budgetChars: null,
      before: null,
    },
  ],
  ["a task without a request", { call: "task", pass: PASS }],
  ["what is not asked of tasks", { call: "task", pass: PASS, ask: { op: "add", ...TASK } }],
  [
    "a field of a task that no verb sets",
    { call: "task", pass: PASS, ask: { ...MOVE, set: { merged: HASH } } },
  ],
  ["a command without a folder", { call: "command", pass: PASS, words: ["run"], input: null }],
  [
    "a command of words that are none",
    { call: "command", pass: PASS, words: [1], input: null, cwd: "/" },
  ],
  [
    "a command by somebody else",
    { call: "command", pass: "open sesamE", words: ["wait"], input: null, cwd: "/" },
  ],
  ["a task by somebody else", { call: "task", pass: "open sesamE", ask: MOVE }],
])("refuses %s, and stores nothing", async (_, request) => {
  expect(await ask(request)).toMatchObject({ ok: false, error: { code: "ACCESS_DENIED" } });
  expect([stored, asked, ended]).toEqual([[], [], []]);
});

it("asks for a task, without the secrets that the agent has seen", async () => {
  const note = "hunter2hunter2 is wrong";
  const move = { ...MOVE, set: { note }, message: { ...MOVE.message, text: note } };
  const answer = await ask({ call: "task", pass: PASS, ask: { ...move, revisions: 3 } });
  expect(answer).toEqual({ ok: true, answer: { task: null } });
  const [request] = asked;
  expect(request).toEqual({
    ...move,
    set: { note: expect.stringMatching(/^(?!.*hunter2).* is wrong$/) },
    message: { ...MOVE.message, text: expect.stringMatching(/^(?!.*hunter2).* is wrong$/) },
  });
});

it("carries out a command, piece by piece, without the secrets that the agent has seen", async () => {
  const command = {
    words: ["run", "x", "--title=hunter2hunter2"],
    input: "hunter2hunter2",
    cwd: "/",
  };
  const connection = connect(address.socket);
  connection.write(`${JSON.stringify({ call: "command", pass: PASS, ...command })}\n`);
  let answer = "";
  for await (const chunk of connection) answer += chunk;
  const [first, second, last, rest] = answer.split("\n").map(parseJson);
  expect(first).toEqual({ to: "stderr", text: "begun\n" });
  const seen = { words: ["run", "x", "--title=[PGPASSWORD]"], input: "[PGPASSWORD]", cwd: "/" };
  expect(second).toEqual({ to: "stdout", text: JSON.stringify(seen) });
  expect([last, rest]).toEqual([{ ok: true, exitCode: 7 }, undefined]);
});

it.each([
  ["is killed", (connection: Socket) => connection.destroy()],
  ["closes its end", (connection: Socket) => connection.end()],
])("a command ends when whoever called it %s", async (_, leave) => {
  const connection = connect(address.socket);
  const command = { words: ["wait"], input: null, cwd: "/" };
  connection.write(`${JSON.stringify({ call: "command", pass: PASS, ...command })}\n`);
  await once(connection, "data");
  expect(ended).toEqual([]);
  leave(connection);
  await expect.poll(() => ended).toEqual(["wait"]);
});

it("a command ends with the step", async () => {
  const connection = connect(address.socket);
  const command = { words: ["wait"], input: null, cwd: "/" };
  connection.write(`${JSON.stringify({ call: "command", pass: PASS, ...command })}\n`);
  await once(connection, "data");
  await lent.close();
  await expect.poll(() => ended).toEqual(["wait"]);
});

it("a hash that is a path is none", async () => {
  expect(await ask({ call: "get", pass: PASS, hash: "../../keys/attest" })).toMatchObject({
    ok: false,
    error: { code: "USAGE" },
  });
});

it.each([
  ["nothing", ""],
  ["no JSON", "get me everything\n"],
  ["bytes that are no text", Buffer.from([0xff, 0xfe, 0, 1, 10])],
  ["deeply nested JSON", `${"[".repeat(200_000)}\n`],
])("%s is refused, and the next request is answered", async (_, bytes) => {
  expect(parseJson(await send(bytes))).toMatchObject({ ok: false });
  expect(await ask({ call: "get", pass: PASS, hash: HASH })).toMatchObject({ ok: true });
});

it("reads no more of a request than its limit", async () => {
  const long = JSON.stringify({
    call: "put",
    pass: PASS,
    text: "x".repeat(STEP_STORE_REQUEST_BYTES),
  });
  expect(await send(`${long}\n`)).toBe("");
  expect(stored).toEqual([]);
  expect(await ask({ call: "get", pass: PASS, hash: HASH })).toMatchObject({ ok: true });
});

it("only the first line counts", async () => {
  const [first, second] = ["one", "two"].map((text) =>
    JSON.stringify({ call: "put", pass: PASS, text }),
  );
  expect(parseJson(await send(`${first}\n${second}\n`))).toMatchObject({ ok: true });
  expect(stored).toEqual(["one"]);
});

it("connections that say nothing do not keep it open", async () => {
  const silent = Array.from({ length: 40 }, () => connect(address.socket));
  for (const connection of silent) connection.on("error", () => {});
  await new Promise((resolve) => silent[0]?.once("connect", resolve));
  await lent.close();
  expect(existsSync(dirname(address.socket))).toBe(false);
  expect(await ask({ call: "get", pass: PASS, hash: HASH })).toBeUndefined();
});
