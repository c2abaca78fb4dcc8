import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentError, RoleResult, RoleStep, StepRun } from "@uncaged/workflow-protocol";
import { type FakeRuntime, fakeContext, fakeRuntime } from "@uncaged/workflow-util-agent/testing";
import {
  calls,
  refusal,
  type ScriptedModel,
  scriptedModel,
  text,
} from "@uncaged/workflow-util-agent/testing/model";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createReactAdapter } from "./create-react-adapter.ts";
import type { ReactConfig } from "./react-config.ts";

const SCHEMA = z.object({ status: z.enum(["ok", "failed"]) });
const DONE = text('{"status":"ok"}');
const handIn = (value: object | string): ReturnType<typeof calls> =>
  calls(["submit_result", value]);
const SLOW_MS = 60_000;

let folder = "";
let cwd = "";
let model: ScriptedModel | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-react-"));
  cwd = join(folder, "work");
  await mkdir(cwd);
});
afterEach(async () => {
  await model?.stop();
  model = undefined;
  await rm(folder, { recursive: true, force: true });
});

type Play = {
  runtime?: FakeRuntime;
  task?: string;
  steps?: readonly RoleStep[];
  config?: Partial<ReactConfig>;
};

async function play(
  replies: Parameters<typeof scriptedModel>[0],
  about: Play = {},
): Promise<RoleResult<z.infer<typeof SCHEMA>>> {
  await model?.stop();
  model = await scriptedModel(replies);
  const { runtime = runtimeWith(), task = "Do it.", steps = [], config = {} } = about;
  const adapter = createReactAdapter({ baseUrl: model.baseUrl, model: "lab/model", ...config });
  return adapter("You are a coder.", SCHEMA)(fakeContext(task, steps), runtime);
}

const runtimeWith = (about: Parameters<typeof fakeRuntime>[0] = {}): FakeRuntime =>
  fakeRuntime({ cwd, home: join(folder, "home"), ...about });

const failed = (played: Promise<unknown>): Promise<AgentError> =>
  played.then(
    () => Promise.reject(new Error("it did not fail")),
    (thrown) => thrown,
  );

/** What the model was told of its tool calls so far. */
const results = (): string[] =>
  (model?.calls().at(-1)?.messages ?? [])
    .filter(({ role }) => role === "tool")
    .map(({ content }) => String(content));

describe("createReactAdapter", () => {
  it("makes the calls in order, tells the model of each, and keeps them as evidence", async () => {
    const runtime = runtimeWith();
    const script = [
      calls(["write_file", { path: "a.txt", content: "one" }], ["read_file", { path: "a.txt" }]),
      calls(["shell_exec", { command: "cat a.txt; exit 3" }]),
      DONE,
    ];
    const { meta, run } = await play(script, { runtime });
    expect(meta).toEqual({ status: "ok" });
    expect(results()).toEqual(["wrote 3 bytes to a.txt", "one", "exit code 3\none\n"]);
    expect(run?.usage?.inputTokens).toBe(300);
    const evidence = (run?.evidence ?? []).map((hash) => JSON.parse(runtime.texts.get(hash) ?? ""));
    expect(evidence).toMatchObject([
      { name: "write_file", kind: "edit", subject: join(cwd, "a.txt"), ok: true, exitCode: null },
      { name: "read_file", kind: "read", subject: join(cwd, "a.txt"), ok: true, output: "one" },
      { name: "shell_exec", kind: "execute", subject: "cat a.txt; exit 3", ok: false, exitCode: 3 },
    ]);
    expect(runtime.events.filter(({ type }) => type === "tool")).toHaveLength(6);
  });

  it("answers malformed, unknown or outside calls, and continues", async () => {
    await play([
      calls(["write_file", '{"path":"a.txt","content":"half'], ["fly", {}], ["read_file", {}]),
      calls(["read_file", { path: "../../etc/passwd" }], ["read_file", { path: "none.txt" }]),
      DONE,
    ]);
    const [malformed, unknown, unfit, outside, missing] = results();
    expect(malformed).toContain("not JSON");
    expect(unknown).toContain("there is no tool fly; there are: read_file");
    expect(unfit).toContain("path");
    expect(outside).toContain("outside of the working directory");
    expect(missing).toContain("no such file");
    expect(missing).not.toContain("/proc/self");
    expect(existsSync(join(cwd, "a.txt"))).toBe(false);
  });

  it("never makes a call whose stream was cut, and makes it once it came whole", {
    timeout: SLOW_MS,
  }, async () => {
    const write = calls(["write_file", { path: "a.txt", content: "x".repeat(200) }]);
    expect(await failed(play([{ ...write, cutAfter: 6 }]))).toMatchObject({ outcome: "crashed" });
    expect(existsSync(join(cwd, "a.txt"))).toBe(false);
    await play([{ ...write, cutAfter: 6 }, write, DONE]);
    expect(results()).toEqual(["wrote 200 bytes to a.txt"]);
  });

  it("asks the policy before each call: a denied call is not made, and the model is told why", async () => {
    const rules = { tools: { deny: [{ kind: "edit" as const, input: "\\.env$" }] } };
    const runtime = runtimeWith({ rules });
    const script = [
      calls(
        ["write_file", { path: "src/../.env", content: "" }],
        ["write_file", { path: "b", content: "" }],
      ),
      DONE,
    ];
    const { run } = await play(script, { runtime });
    expect(results()[0]).toContain("Denied: write_file is denied to this role");
    expect(existsSync(join(cwd, ".env"))).toBe(false);
    expect(existsSync(join(cwd, "b"))).toBe(true);
    expect(run?.notes).toEqual(["the tool policy refused 1 tool call"]);
    expect(run?.evidence).toHaveLength(1);
    expect(runtime.events).toContainEqual(
      expect.objectContaining({ type: "permission", allowed: false }),
    );
  });

  it(
    "sends a claim without the required evidence back, and accepts it after it was really done",
    async () => {
      const requiredEvidence = [
        {
          name: "tests",
          kind: "execute" as const,
          input: "^npm test$",
          after: "last_edit" as const,
        },
      ];
      await writeFile(join(cwd, "package.json"), '{"scripts":{"test":"true"}}');
      const runtime = runtimeWith({ rules: { requiredEvidence } });
      const script = [DONE, calls(["shell_exec", { command: "npm test" }]), DONE];
      const { meta, run } = await play(script, { runtime });
      expect(meta).toEqual({ status: "ok" });
      expect(run?.notes?.[0]).toContain("evidence was missing");
    },
    SLOW_MS,
  );

  it("has no shell when that is switched off, and says nothing of commands", async () => {
    const config = { shell: false };
    await play([calls(["shell_exec", { command: "touch a" }]), DONE], { config });
    expect(model?.calls()[0]?.tools?.map((tool) => tool.function.name)).not.toContain("shell_exec");
    expect(JSON.stringify(model?.calls()[0]?.messages)).not.toContain("cas put");
    expect(results()[0]).toContain("there is no tool shell_exec");
    expect(existsSync(join(cwd, "a"))).toBe(false);
  });

  it("lends commands no key of its model", async () => {
    const config = { envKey: "REACT_TEST_KEY", env: { REACT_TEST_KEY: "the-key", OTHER: "seen" } };
    await play([calls(["shell_exec", { command: "env" }]), DONE], { config });
    expect(results()[0]).toContain("OTHER=seen");
    expect(results()[0]).not.toContain("the-key");
  });

  it("ends a model that goes in circles, after telling it", async () => {
    const error = await failed(play([calls(["read_file", { path: "." }])]));
    expect(error).toMatchObject({ outcome: "crashed" });
    expect(error.message).toContain("the same tool calls again and again");
    expect(results().some((each) => each.includes("You have made this call before"))).toBe(true);
    expect(model?.calls().length).toBeLessThan(12);
  });

  it("ends after its rounds, and the record goes with the error", async () => {
    const error = await failed(
      play([calls(["read_file", { path: "." }])], { config: { maxRounds: 2 } }),
    );
    expect(error.message).toContain("did not finish within 2 model calls");
    expect(error.run).toMatchObject({ usage: { inputTokens: 200 } });
  });

  it("makes only so many calls of one reply", async () => {
    const many = Array.from({ length: 40 }, (_, at): [string, object] => [
      "write_file",
      { path: `f${at}`, content: "" },
    ]);
    await play([calls(...many), DONE]);
    expect(results()).toHaveLength(40);
    expect(existsSync(join(cwd, "f31"))).toBe(true);
    expect(existsSync(join(cwd, "f32"))).toBe(false);
  });

  it("ends its command and itself when the thread is stopped", { timeout: SLOW_MS }, async () => {
    const abort = new AbortController();
    const runtime = runtimeWith({ signal: abort.signal });
    const command = "echo $$ > pid; mv pid began; tail -f /dev/null";
    const played = failed(play([calls(["shell_exec", { command }])], { runtime }));
    while (!existsSync(join(cwd, "began"))) await sleep(20);
    abort.abort();
    expect(await played).toMatchObject({
      outcome: "cancelled",
      run: { session: expect.any(String) },
    });
    const pid = Number(await readFile(join(cwd, "began"), "utf8"));
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });

  it.each([
    ["rate_limited", refusal(429, "come back tomorrow", 86_400)],
    ["auth", refusal(401, "no such key")],
    ["context_overflow", refusal(400, "maximum context length is 128000 tokens")],
  ])("ends as %s when the endpoint says so", async (outcome, reply) => {
    expect(await failed(play([reply]))).toMatchObject({ outcome });
  });
});

describe("createReactAdapter, when the result is handed in", () => {
  const FITS = { status: "ok" };
  const MISFIT = { status: "perhaps" };

  it("offers the role's schema as a tool, tells of it, and takes the call as the result", async () => {
    const runtime = runtimeWith();
    const said = { content: "I looked.", ...handIn(FITS) };
    const { meta, content, run } = await play([calls(["read_file", { path: "." }]), said], {
      runtime,
    });
    expect(meta).toEqual(FITS);
    expect(content).toBe("I looked.");
    expect(run?.usage?.inputTokens).toBe(200);
    expect(run?.notes).toBeUndefined();
    expect(run?.evidence).toHaveLength(1);
    const [first] = model?.calls() ?? [];
    expect(first?.tools?.at(-1)?.function).toMatchObject({
      name: "submit_result",
      parameters: { type: "object", properties: { status: { enum: ["ok", "failed"] } } },
    });
    expect(String(first?.messages[1]?.content)).toContain(
      "hand in your result by calling `submit_result`",
    );
  });

  it("sends what does not fit back to the model at once, with what is wrong, and notes it", async () => {
    const { meta, run } = await play([handIn(MISFIT), handIn('{"status":'), handIn(FITS)]);
    expect(meta).toEqual(FITS);
    expect(results()).toEqual([
      expect.stringMatching(/^Error: .*status/s),
      expect.stringContaining("not JSON"),
    ]);
    expect(run?.notes).toHaveLength(2);
    expect(run?.notes?.[0]).toContain("requested again");
  });

  it("survives a result that is nested without end", async () => {
    const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    expect((await play([handIn(deep), text(deep), handIn(FITS)])).meta).toEqual(FITS);
    expect(results()[0]).toContain("Error:");
  });

  it("ends a model that never submits a fitting result, and its cost is recorded", async () => {
    const error = await failed(play([handIn(MISFIT)]));
    expect(error).toMatchObject({ outcome: "invalid_output" });
    expect(error.message).toContain("status");
    expect(model?.calls()).toHaveLength(4);
    expect(error.run).toMatchObject({ usage: { inputTokens: 400 } });
  });

  it("requests a result that did not fit again by its tool, and passes what was submitted to the extraction", async () => {
    const extracted: string[] = [];
    const runtime = runtimeWith();
    const extract: typeof runtime.extract = async (schema, hash) => {
      extracted.push(runtime.texts.get(hash) ?? "");
      return schema.parse(FITS);
    };
    const { meta } = await play([handIn(MISFIT)], { runtime: { ...runtime, extract } });
    expect(meta).toEqual(FITS);
    expect(extracted).toEqual([JSON.stringify(MISFIT)]);
    const again = model?.calls().at(-1)?.messages.at(-1);
    expect(again?.role).toBe("user");
    expect(String(again?.content)).toContain("Hand in your result again by calling");
  });

  it("accepts nothing that is submitted beside a command that failed", async () => {
    const { run } = await play([
      calls(["submit_result", FITS], ["shell_exec", { command: "exit 3" }]),
      handIn({ status: "failed" }),
    ]);
    expect(results()).toEqual([expect.stringContaining("not taken"), "exit code 3\n"]);
    expect(run?.evidence).toHaveLength(1);
  });

  it(
    "sends it back without the required evidence, and goes on in the same conversation",
    async () => {
      const tests = { name: "tests", kind: "execute" as const, input: "^npm test$" };
      await writeFile(join(cwd, "package.json"), '{"scripts":{"test":"true"}}');
      const runtime = runtimeWith({ rules: { requiredEvidence: [tests] } });
      const script = [handIn(FITS), calls(["shell_exec", { command: "npm test" }]), handIn(FITS)];
      const { meta, run } = await play(script, { runtime });
      expect(meta).toEqual(FITS);
      expect(run?.notes?.[0]).toContain("evidence was missing");
      expect(
        model
          ?.calls()
          .at(-1)
          ?.messages.map(({ role }) => role)
          .join(" "),
      ).toBe("system user assistant tool user assistant tool");
    },
    SLOW_MS,
  );

  it("offers a result of several shapes as an object, which is all that servers take", async () => {
    model = await scriptedModel([handIn({ result: { done: true } })]);
    const shapes = z.union([z.object({ done: z.literal(true) }), z.object({ why: z.string() })]);
    const adapter = createReactAdapter({ baseUrl: model.baseUrl, model: "lab/model" });
    const { meta } = await adapter("You code.", shapes)(fakeContext("Do it.", []), runtimeWith());
    expect(meta).toEqual({ done: true });
    const [first] = model.calls();
    expect(first?.tools?.at(-1)?.function.parameters).toMatchObject({
      type: "object",
      properties: { result: { anyOf: expect.any(Array) } },
    });
  });
});

describe("createReactAdapter, when its role is entered again", () => {
  const stepWith = (run: StepRun | null | undefined): Omit<RoleStep, "contentHash"> => ({
    role: "coder",
    meta: {},
    refs: [],
    timestamp: 0,
    childThread: null,
    run: run ?? null,
  });
  const again = async (run: StepRun | null | undefined): Promise<Play> => {
    const runtime = runtimeWith({ previousSession: run?.session ?? null, round: 2 });
    const contentHash = await runtime.cas.put("{}");
    return { runtime, steps: [{ ...stepWith(run), contentHash }] };
  };

  it("continues in its conversation", async () => {
    const first = await play([calls(["write_file", { path: "a.txt", content: "one" }]), DONE]);
    const second = await play([DONE], await again(first.run));
    expect(second.run?.session).toBe(first.run?.session);
    expect(second.run?.usage?.inputTokens).toBe(100);
    const sent = model?.calls()[0]?.messages ?? [];
    expect(sent.map(({ role }) => role).join(" ")).toBe(
      "system user assistant tool assistant user",
    );
    expect(String(sent.at(-1)?.content)).not.toContain("Do it.");
  });

  it("continues where the result was submitted, and where an earlier version kept a text", async () => {
    const first = await play([handIn({ status: "ok" })]);
    const file = join(folder, "home", `${first.run?.session}.jsonl`);
    const second = await play([handIn({ status: "ok" })], await again(first.run));
    expect(second.run?.session).toBe(first.run?.session);
    const roles = () =>
      model
        ?.calls()[0]
        ?.messages.map(({ role }) => role)
        .join(" ");
    expect(roles()).toBe("system user assistant tool user");
    await writeFile(
      file,
      '\n[{"role":"user","content":"Do it."}]\n\n[{"role":"assistant","content":"{\\"status\\":\\"ok\\"}","toolCalls":[]}]\n',
    );
    const third = await play([handIn({ status: "failed" })], await again(first.run));
    expect(third.meta).toEqual({ status: "failed" });
    expect(roles()).toBe("system user assistant user");
  });

  it("starts afresh, and says so, when the conversation no longer exists", async () => {
    const first = await play([DONE]);
    await rm(join(folder, "home"), { recursive: true });
    const second = await play([DONE], await again(first.run));
    expect(second.run?.session).not.toBe(first.run?.session);
    expect(second.run?.notes?.[0]).toContain("could not be resumed");
    expect(String(model?.calls()[0]?.messages.at(-1)?.content)).toContain("Do it.");
  });

  it("starts afresh when the conversation has become too long for the model", async () => {
    const first = await play([DONE]);
    const second = await play(
      [refusal(400, "maximum context length is 10 tokens"), DONE],
      await again(first.run),
    );
    expect(second.meta).toEqual({ status: "ok" });
    expect(second.run?.notes?.[0]).toContain("has become too long");
    expect(second.run?.session).not.toBe(first.run?.session);
  });

  it("keeps nothing of the model's key with the conversation", async () => {
    const config = { apiKey: "literal-key-of-the-test" };
    const { run } = await play([DONE], { config });
    const file = join(folder, "home", `${run?.session}.jsonl`);
    expect(await readFile(file, "utf8")).not.toContain("literal-key");
  });
});
