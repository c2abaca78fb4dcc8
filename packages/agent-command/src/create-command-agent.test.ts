import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Failure, failureFrom, PROCESS_TAG_ENV } from "@uncaged/workflow-protocol";
import { type FakeRuntime, fakeContext, fakeRuntime } from "@uncaged/workflow-util-agent/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { CommandAgentConfig } from "./command-config.ts";
import { createCommandAgent } from "./create-command-agent.ts";

const STEP = { role: "tester", round: 3 };

let folder: string;
let runtime: FakeRuntime;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "command agent "));
  runtime = fakeRuntime({ ...STEP, cwd: folder });
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

const anything = z.record(z.string(), z.unknown());
const exit = z.object({ exitCode: z.number(), output: z.string() });

function play<T>(config: CommandAgentConfig, schema: z.ZodType<T>, task = "Mend it.") {
  return createCommandAgent(config)("You test.", schema)(fakeContext(task), runtime);
}

/** A shell script, for tests only: the adapter itself uses no shell. */
function sh(script: string): { command: string; args: string[] } {
  return { command: "sh", args: ["-c", script] };
}

async function refusal(config: CommandAgentConfig, schema: z.ZodType = exit): Promise<Failure> {
  const played = await play(config, schema).catch((thrown: unknown) =>
    failureFrom(thrown, "INTERNAL"),
  );
  if ("meta" in played) throw new Error("the role was played");
  return played;
}

describe("a command's result", () => {
  it("is its exit code and its output, whatever the exit code", async () => {
    const { meta, content } = await play(sh("echo out; exit 3"), exit);
    expect(meta).toEqual({ exitCode: 3, output: "out" });
    expect(content).toBe("out");
  });

  it("has the exit code that shells give to a program ended by a signal", async () => {
    expect((await play(sh("kill -KILL $$"), exit)).meta.exitCode).toBe(137);
  });

  it("is made into the role's meta by `toMeta`", async () => {
    const schema = z.object({ status: z.enum(["passed", "failed"]), said: z.string() });
    const { meta } = await play(
      {
        ...sh("echo one; echo two >&2; exit 1"),
        toMeta: async ({ exitCode, stdout, stderr }, { runtime: { step } }) => ({
          status: exitCode === 0 ? "passed" : "failed",
          said: `${stdout.trim()} ${stderr.trim()} ${step.role}`,
        }),
      },
      schema,
    );
    expect(meta).toEqual({ status: "failed", said: "one two tester" });
  });

  it("is the JSON that it prints", async () => {
    const schema = z.object({ commit: z.string() });
    const script = 'echo committed; echo noise >&2; echo \'{"commit":"abc"}\'';
    const { meta, content } = await play({ ...sh(script), output: "json" }, schema);
    expect(meta).toEqual({ commit: "abc" });
    expect(content).toContain("committed");
    expect(content).toContain("noise");
  });

  it("leaves the content to the meta when nothing was printed", async () => {
    expect((await play(sh("exit 0"), exit)).content).toBeUndefined();
  });

  it("contains the beginning and the end of a flood", async () => {
    const { meta } = await play(
      { ...sh("echo first; yes | head -c 3000000; echo last"), maxOutputBytes: 10_000 },
      exit,
    );
    expect(meta.output).toMatch(/^first\n/);
    expect(meta.output).toMatch(/\nlast$/);
    expect(meta.output).toMatch(/\[… \d+ bytes left out …\]/);
    expect(meta.output.length).toBeLessThan(11_000);
  });
});

describe("a command gets", () => {
  it("its arguments exactly, also those made for the step", async () => {
    await writeFile(join(folder, "args.mjs"), "console.log(JSON.stringify(process.argv.slice(2)))");
    const { meta } = await play(
      {
        command: process.execPath,
        args: ({ ctx, prompt }) => [
          "args.mjs",
          "--help",
          "a\nb",
          "$(id)",
          prompt,
          ctx.start.content,
        ],
      },
      exit,
      "--version; rm -rf *",
    );
    expect(JSON.parse(meta.output)).toEqual([
      "--help",
      "a\nb",
      "$(id)",
      "You test.",
      "--version; rm -rf *",
    ]);
  });

  it("the thread's input on stdin", async () => {
    const { meta } = await play({ command: "cat" }, exit, "Mend slugify.");
    expect(meta.output).toContain("# Task\n\n```text\nMend slugify.\n```");
    expect(meta.output).toContain("You play the role `tester` in step 3");
  });

  it("a task of 2 MB that it never reads", async () => {
    const { meta } = await play({ command: "true" }, exit, "x".repeat(2_000_000));
    expect(meta.exitCode).toBe(0);
  });

  it("another text on stdin, or none", async () => {
    const own = await play({ command: "cat", stdin: ({ prompt }) => prompt }, exit);
    expect(own.meta.output).toBe("You test.");
    const none = await play({ command: "cat", stdin: "none" }, exit);
    expect(none.meta.output).toBe("");
    expect(none.run?.prompt).toBeNull();
  });

  it("the step's directory, or one below it", async () => {
    await mkdir(join(folder, "inner"));
    expect((await play({ command: "pwd" }, exit)).meta.output).toBe(folder);
    const inner = await play({ command: "pwd", cwd: "inner" }, exit);
    expect(inner.meta.output).toBe(join(folder, "inner"));
    expect(inner.run?.cwd).toBe(join(folder, "inner"));
  });

  it("an environment that says which step it is, and no secret of ours", async () => {
    vi.stubEnv("UNCAGED_WORKFLOW_STORAGE_ROOT", "/store");
    vi.stubEnv("OTHER_API_KEY", "sk-1234567890");
    vi.stubEnv("NAMED", "1");
    const { meta } = await play({ command: "env", passEnv: ["NAMED"], env: { SET: "2" } }, exit);
    const env = Object.fromEntries(meta.output.split("\n").map((line) => line.split("=", 2)));
    expect(env).toMatchObject({
      UNCAGED_THREAD_ID: "01KAJ2Z6PVX0000000000000ZZ",
      UNCAGED_ROLE: "tester",
      UNCAGED_ROUND: "3",
      UNCAGED_WORKFLOW_STORAGE_ROOT: "/store",
      NAMED: "1",
      SET: "2",
    });
    expect(env[PROCESS_TAG_ENV]).toMatch(`${runtime.step.processTag}:`);
    expect(env).not.toHaveProperty("OTHER_API_KEY");
  });
});

describe("the record of a command", () => {
  it("names the agent, its time and what the engine saw", async () => {
    const { run } = await play({ ...sh("echo hi; exit 2"), stdin: "none" }, exit);
    expect(run).toMatchObject({
      agent: { name: "command", version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      session: null,
      prompt: null,
      usage: null,
      cwd: folder,
    });
    expect(run?.completedAt).toBeGreaterThanOrEqual(run?.startedAt ?? Number.POSITIVE_INFINITY);
    const [hash = ""] = run?.evidence ?? [];
    expect(JSON.parse(runtime.texts.get(hash) ?? "")).toEqual({
      id: "command",
      name: "sh",
      kind: "execute",
      subject: 'sh -c "echo hi; exit 2"',
      input: { command: "sh", args: ["-c", "echo hi; exit 2"], cwd: folder },
      output: "hi",
      ok: false,
      exitCode: 2,
      durationMs: expect.any(Number),
      timestamp: expect.any(Number),
      cwd: folder,
    });
  });

  it("keeps what was sent to stdin", async () => {
    const { run } = await play({ command: "true", stdin: () => "the input" }, exit);
    expect(runtime.texts.get(run?.prompt ?? "")).toBe("the input");
  });

  it("contains no secret that the command was given and printed", async () => {
    vi.stubEnv("DEPLOY_TOKEN", "sk-very-secret-1");
    const { meta, content } = await play(
      {
        ...sh('echo "token: $DEPLOY_TOKEN $OWN_PASSWORD"'),
        passEnv: ["DEPLOY_TOKEN"],
        env: { OWN_PASSWORD: "correct horse" },
      },
      exit,
    );
    expect(meta.output).toBe("token: [DEPLOY_TOKEN] [OWN_PASSWORD]");
    const record = JSON.stringify([meta, content, runtime.events, ...runtime.texts.values()]);
    expect(record).not.toContain("sk-very-secret-1");
    expect(record).not.toContain("correct horse");
  });
});

describe("secrets in a command's output that were not declared", () => {
  it("are recognized by their shape, also over several lines", async () => {
    const begin = "-----BEGIN PRIVATE KEY-----";
    const script = `echo DB_PASSWORD=hunter22222; printf '%s\\n' '${begin}' MIIEow '${begin.replace("BEGIN", "END")}'`;
    const { meta } = await play(sh(script), exit);
    expect(meta.output).toBe("DB_PASSWORD=[secret]\n[PRIVATE KEY]");
  });

  it("are in nothing that is stored or shown: an encrypted key, a value of two lines, PGPASSWORD", async () => {
    const body = "MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkqhkiG9w0BBQwwHAQI".repeat(2);
    vi.stubEnv("PGPASSWORD", "postgres-9-pass");
    vi.stubEnv("DEPLOY_KEY", "first line of it\nsecond line of it\nlast");
    const key = `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${body}\nq7=\n-----END ENCRYPTED PRIVATE KEY-----`;
    const script = `echo $PGPASSWORD; echo "$DEPLOY_KEY" | tail -n 2; echo '${key}'; sleep 0.3; echo '${key}' >&2; printf %s "$PGPASSWORD" | base64; printf 'the end'`;
    const config = { ...sh(script), passEnv: ["PGPASSWORD", "DEPLOY_KEY"] };
    const { meta, content } = await play(config, exit);
    expect(meta.output).toContain("[PGPASSWORD]\n[DEPLOY_KEY]\n[ENCRYPTED PRIVATE KEY]\n");
    expect(meta.output).toContain("the end");
    const record = JSON.stringify([meta, content, runtime.events, ...runtime.texts.values()]);
    for (const part of ["postgres-9", "cG9zdGdyZX", "line of it", "last", "MIIFHDBO", "q7="])
      expect(record).not.toContain(part);
  });
});

describe("a role's rules apply to a command", () => {
  const tests = { name: "tests", kind: "execute", input: "^npm test$" } as const;

  it("that its tool policy denies: it is not started, and observers see why", async () => {
    runtime.step.rules = { tools: { deny: [{ kind: "execute", input: "^touch " }] } };
    const reason = await refusal({ command: "touch", args: ["made"] });
    expect(reason).toMatchObject({
      code: "AGENT_DENIED",
      message: expect.stringContaining("touch made was not started: touch is denied"),
    });
    expect(await readdir(folder)).toEqual([]);
    expect(runtime.events.slice(1)).toEqual([
      { type: "permission", tool: "touch", allowed: false, reason: expect.any(String) },
      { type: "end", outcome: "denied", reason: reason.message },
    ]);
  });

  it("that its tool policy allows by the program's name", async () => {
    runtime.step.rules = { tools: { allow: [{ name: "tru*" }] } };
    expect((await play({ command: "true" }, exit)).meta.exitCode).toBe(0);
  });

  it("that is the evidence they require", async () => {
    runtime.step.rules = { requiredEvidence: [{ ...tests, input: "^sh -c" }] };
    expect((await play(sh("exit 0"), exit)).run?.evidence).toHaveLength(1);
  });

  it.each([
    ["is another one", "exit 0", tests, "no such call was seen"],
    ["failed", "exit 3", { ...tests, input: "^sh -c" }, "it exited 3"],
  ])("that %s than the evidence they require", async (_name, script, requirement, why) => {
    runtime.step.rules = { requiredEvidence: [requirement] };
    const thrown = await play(sh(script), exit).catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      outcome: "invalid_output",
      failure: { code: "EVIDENCE_MISSING", message: expect.stringContaining(why) },
      run: { agent: { name: "command" }, evidence: [expect.any(String)] },
    });
  });
});

describe("a command that is watched", () => {
  it("shows its start, its lines and its end", async () => {
    await play(sh("echo hi"), exit);
    expect(runtime.events).toEqual([
      { type: "started", agent: 'sh -c "echo hi"', session: null },
      { type: "text", text: "hi\n" },
      { type: "end", outcome: "ok", reason: "" },
    ]);
  });

  it("shows why it failed", async () => {
    await refusal({ command: "no-such-program-here" });
    expect(runtime.events.at(-1)).toMatchObject({ type: "end", outcome: "crashed" });
  });
});

describe("a command fails the step", () => {
  it("when it is not installed, with a hint", async () => {
    const reason = await refusal({ command: "no-such-program-here", installHint: "npm i -g it" });
    expect(reason).toEqual({
      code: "AGENT_FAILED",
      message: "cannot start no-such-program-here: no program of that name on PATH",
      hint: "npm i -g it",
    });
  });

  it("when its result does not match the role's schema, and says what is wrong and what it printed last", async () => {
    const schema = z.object({ status: z.enum(["passed", "failed"]) });
    const reason = await refusal(sh("echo oh dear >&2; exit 1"), schema);
    expect(reason.code).toBe("INVALID_OUTPUT");
    expect(reason.message).toContain("role tester (step 3)");
    expect(reason.message).toContain("exit code 1");
    expect(reason.message).toContain("status:");
    expect(reason.message).toContain("oh dear");
    expect(reason.hint).toContain("toMeta");
    expect(runtime.events.at(-1)).toMatchObject({ outcome: "invalid_output" });
  });

  it("when it should have printed JSON and did not", async () => {
    const reason = await refusal({ ...sh("echo 'not json'"), output: "json" }, anything);
    expect(reason.code).toBe("INVALID_OUTPUT");
    expect(reason.message).toContain("no JSON object");
    expect(reason.message).toContain("not json");
  });

  it("when the binding's own `toMeta` throws", async () => {
    const reason = await refusal({
      ...sh("true"),
      toMeta: () => {
        throw new Error("no commit in there");
      },
    });
    expect(reason).toMatchObject({
      code: "AGENT_FAILED",
      message: expect.stringContaining("no commit in there"),
    });
  });

  it("when it falls silent, or takes too long", async () => {
    const idle = await refusal({ ...sh("echo one; sleep 60"), idleTimeoutMs: 1_000, graceMs: 200 });
    expect(idle.code).toBe("AGENT_TIMEOUT");
    expect(idle.message).toContain("printed nothing for 1000 ms");
    expect(idle.message).toContain("one");
    const total = await refusal({ ...sh("sleep 60"), timeoutMs: 200, graceMs: 200 });
    expect(total.code).toBe("AGENT_TIMEOUT");
    expect(total.hint).toContain("timeoutMs");
    expect(runtime.events.at(-1)).toMatchObject({ outcome: "timeout" });
  });

  it("when the thread is stopped, once all its processes are gone", async () => {
    const abort = new AbortController();
    runtime = fakeRuntime({ ...STEP, cwd: folder, signal: abort.signal });
    const pidFile = join(folder, "pid");
    const played = refusal({
      ...sh("(trap '' INT TERM; sleep 60; sleep 60) & echo $! > pid.tmp; mv pid.tmp pid; wait"),
      graceMs: 100,
    });
    await expect
      .poll(() => readFile(pidFile, "utf8").catch(() => ""), { timeout: 5_000 })
      .not.toBe("");
    const pid = Number(await readFile(pidFile, "utf8"));
    abort.abort();
    expect((await played).code).toBe("THREAD_ABORTED");
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") Z");
    expect(stat).toContain(") Z");
  });

  it("when an argument is not a string", async () => {
    const args: unknown[] = ["ok", 7];
    const config = { command: "echo", args: JSON.parse(JSON.stringify(args)) };
    expect(await refusal(config)).toMatchObject({
      code: "AGENT_FAILED",
      message: "argument 2 of echo is not a string",
    });
  });
});
