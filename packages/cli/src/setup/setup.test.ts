import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type FakeIo, fakeIo } from "../command/io.test.helper.ts";
import type { Questions } from "../terminal/questions.ts";
import { type SetupFlags, setup } from "./setup.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "uwf-setup-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const SILENT: SetupFlags = {
  provider: null,
  baseUrl: null,
  apiKeyEnv: null,
  apiKeyStdin: false,
  model: null,
  supervisorModel: null,
  supervisorInterval: null,
  summarizerModel: null,
  defaultAgent: null,
  skipTest: false,
};

/** Answers in order; "=" accepts the suggestion. */
function person(...answers: (string | null)[]): Questions {
  const next = (suggested: string): string | null => {
    const answer = answers.shift();
    if (answer === undefined) throw new Error("nobody answers any more");
    return answer === "=" ? suggested : answer;
  };
  return {
    choose: async (_question, choices, marked) => next(marked ?? choices[0]?.value ?? ""),
    text: async (_question, { suggestion }) => next(suggestion),
    secret: async () => next(""),
  };
}

const file = (): string => join(root, "workflow.yaml");
const io = (): FakeIo => fakeIo({ env: { WORKFLOW_STORAGE_ROOT: root } });

async function answered(at: FakeIo, ...answers: (string | null)[]): Promise<number | undefined> {
  const done = await setup(SILENT, at, person(...answers));
  if (!done.ok) throw new Error(done.error.message);
  return done.value.exitCode;
}

/** Nothing listens there. */
const DEAD = "http://127.0.0.1:1/v1";
const FIRST = ["another", DEAD, "mine", "file", "sk-pasted-1", "small", "0", "no"];

it("keeps the answers when the model does not respond, and asks only what is wrong again", async () => {
  const server = createServer((_request, response) => {
    const message = { role: "assistant", content: "ready" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const url = `http://127.0.0.1:${port}/v1`;
  const at = io();
  await answered(at, ...FIRST, "change", "=", url, "=", "=", "=", "=", "=");
  server.close();
  expect(at.err()).toContain("mine/small at http://127.0.0.1:1/v1 does not answer");
  const text = readFileSync(file(), "utf8");
  expect(text).toContain(url);
  expect(text).toContain("apiKey: sk-pasted-1");
  expect(text).toContain("extract: mine/small");
});

it("writes the answers untested when the person wants that, and nothing when they stop", async () => {
  const at = io();
  expect(await answered(at, ...FIRST, "again", "stop")).not.toBe(0);
  expect(existsSync(file())).toBe(false);
  await answered(at, ...FIRST, "keep");
  expect(readFileSync(file(), "utf8")).toContain("extract: mine/small");
});

it("asks again after an invalid answer", async () => {
  const at = io();
  const wrong = FIRST.with(2, "My Provider");
  await answered(at, ...wrong, "change", "=", "=", "mine", "=", "=", "=", "=", "keep");
  expect(at.err()).toContain('"My Provider" is not a provider name');
  expect(readFileSync(file(), "utf8")).toContain("extract: mine/small");
});

it("works without a model: it sets the default agent, or writes nothing", async () => {
  await answered(io(), "");
  expect(existsSync(file())).toBe(false);
  writeFileSync(file(), "config:\n  agents: { claude: { package: x } }\n");
  await answered(io(), "", "claude");
  const text = readFileSync(file(), "utf8");
  expect(text).toContain("defaultAgent: claude");
  expect(text).not.toContain("models");
});
