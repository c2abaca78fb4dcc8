import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Failure, ProcessIdentity, Result } from "@uncaged/workflow-protocol";
import { findTagged, identifyProcess, livenessOf, runMembers } from "@uncaged/workflow-util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CliRun, SpawnCliOptions } from "./cli-run.ts";
import type { OutputLine } from "./line-reader.ts";
import { spawnCli } from "./spawn-cli.ts";

let folder: string;
let tag: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "spawn cli "));
  tag = `test-${randomUUID()}:1`;
});

afterEach(async () => {
  expect(findTagged(tag)).toEqual([]);
  await rm(folder, { recursive: true });
});

type Options = Partial<SpawnCliOptions>;

async function run(command: string, args: string[], options: Options = {}): Promise<CliRun> {
  const result = await attempt(command, args, options);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function attempt(
  command: string,
  args: string[],
  options: Options = {},
): Promise<Result<CliRun, Failure>> {
  return spawnCli(command, args, { cwd: folder, tag, ...options });
}

const sh = (script: string, options: Options = {}): Promise<CliRun> =>
  run("sh", ["-c", script], options);
const node = (script: string, options: Options = {}): Promise<CliRun> =>
  run(process.execPath, ["-e", script], options);

/** Acts when a line arrives, so that the program is known to be set up. */
function onReady(act: () => void): (line: OutputLine) => void {
  return (line) => {
    if (line.text === "ready") act();
  };
}

describe("spawnCli returns what the program did", () => {
  it("with its exit code, which is not an error", async () => {
    const done = await sh("echo out; echo err >&2; exit 3");
    expect(done).toMatchObject({
      exitCode: 3,
      signal: null,
      stoppedBy: null,
      stdout: { text: "out\n", totalBytes: 4, omittedBytes: 0 },
      stderr: { text: "err\n" },
      leftovers: 0,
    });
    expect(done.completedAt).toBeGreaterThanOrEqual(done.startedAt);
  });

  it("with the signal that ended it", async () => {
    expect(await sh("kill -SEGV $$")).toMatchObject({ exitCode: null, signal: "SIGSEGV" });
  });

  it("in the directory and with the environment that it was given, and no other", async () => {
    const done = await node("console.log(JSON.stringify([process.cwd(), process.env]))", {
      env: { ROLE: "tester" },
      passEnv: ["PASSED"],
      hostEnv: { PATH: "/bin", PASSED: "1", SECRET: "2", NODE_OPTIONS: "--nope" },
    });
    const [cwd, env] = JSON.parse(done.stdout.text);
    expect(cwd).toBe(folder);
    expect(env).toEqual({
      PATH: "/bin",
      PASSED: "1",
      ROLE: "tester",
      UNCAGED_RUN_MARK: expect.stringContaining(`${tag}:`),
    });
  });

  it.each([
    ["options", ["--help", "--", "-x"]],
    ["line breaks and quotes", ["a\nb\r\n", "'\"`$(id)`", "\\", "*", "; rm -rf ."]],
    ["empty and blank words", ["", " ", "\t"]],
    ["any script", ["日本語", "💥", "\u202e"]],
  ])("with arguments carried exactly: %s", async (_name, args) => {
    const script = join(folder, "echo.mjs");
    await writeFile(script, "process.stdout.write(JSON.stringify(process.argv.slice(2)))");
    const done = await run(process.execPath, [script, ...args]);
    expect(JSON.parse(done.stdout.text)).toEqual(args);
  });
});

describe("spawnCli refuses to start", () => {
  it("a program that is not installed, with a hint", async () => {
    const result = await attempt("no-such-program-here", []);
    expect(result).toMatchObject({
      ok: false,
      error: {
        code: "AGENT_FAILED",
        message: "cannot start no-such-program-here: no program of that name on PATH",
        hint: expect.stringContaining("install"),
      },
    });
  });

  it("with the hint of the adapter, when it has one", async () => {
    const result = await attempt("no-such-program-here", [], { installHint: "npm i -g it" });
    expect(result).toMatchObject({ error: { hint: "npm i -g it" } });
  });

  it("a file that is not executable", async () => {
    const file = join(folder, "plain");
    await writeFile(file, "text", { mode: 0o644 });
    expect(await attempt(file, [])).toMatchObject({
      error: { message: expect.stringContaining("not an executable file") },
    });
  });

  it("in a missing directory", async () => {
    expect(await attempt("true", [], { cwd: join(folder, "gone") })).toMatchObject({
      error: { code: "AGENT_FAILED", message: expect.stringContaining("no such directory") },
    });
  });

  it("with an argument that contains a NUL, or is too long for the system", async () => {
    expect(await attempt("echo", ["a\0b"])).toMatchObject({
      error: { message: "argument 1 of echo holds a NUL" },
    });
    expect(await attempt("echo", ["x".repeat(200_000)])).toMatchObject({
      error: {
        message: expect.stringContaining("too long"),
        hint: expect.stringContaining("stdin"),
      },
    });
  });

  it("when it was already aborted", async () => {
    const result = await attempt("touch", ["started"], { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ ok: false, error: { code: "THREAD_ABORTED" } });
    await expect(readFile(join(folder, "started"))).rejects.toThrow();
  });
});

describe("spawnCli feeds stdin", () => {
  it("with 2 MB of text, exactly, and closes it", async () => {
    const text = "zwölf 💥\n".repeat(160_000);
    const script =
      'const h=require("crypto").createHash("sha256");process.stdin.on("data",c=>h.update(c)).on("end",()=>console.log(h.digest("hex")))';
    const { createHash } = await import("node:crypto");
    const done = await node(script, { stdin: text });
    expect(done.stdout.text.trim()).toBe(createHash("sha256").update(text).digest("hex"));
  });

  it("even of a program that never reads it", async () => {
    expect(await sh("exit 0", { stdin: "x".repeat(2_000_000) })).toMatchObject({ exitCode: 0 });
    expect(await sh("sleep 0.3; exit 4", { stdin: "x".repeat(2_000_000) })).toMatchObject({
      exitCode: 4,
    });
  });

  it("even of a program that closes it at once", async () => {
    const done = await sh("exec <&-; sleep 0.2; echo fine", { stdin: "x".repeat(2_000_000) });
    expect(done).toMatchObject({ exitCode: 0, stdout: { text: "fine\n" } });
  });

  it("with nothing when there is nothing, so that no program waits for it", async () => {
    expect(await sh("cat; echo end")).toMatchObject({ stdout: { text: "end\n" } });
  });
});

describe("spawnCli bounds time", () => {
  it("ends a program that falls silent", async () => {
    const done = await sh("echo one; sleep 60", { idleTimeoutMs: 1_000, graceMs: 500 });
    expect(done).toMatchObject({ stoppedBy: "idle", stdout: { text: "one\n" } });
  });

  it("lets a program run as long as it keeps printing", async () => {
    const done = await sh("for i in 1 2 3 4 5 6 7; do echo $i; sleep 0.5; done", {
      idleTimeoutMs: 3_000,
    });
    expect(done).toMatchObject({ stoppedBy: null, exitCode: 0 });
  });

  it("does not mistake our own slowness for the program's silence", async () => {
    const done = await sh("echo one; echo two; sleep 0.1", {
      idleTimeoutMs: 2_000,
      onLine: (line) => (line.text === "one" ? sleep(2_600) : undefined),
    });
    expect(done).toMatchObject({ stoppedBy: null, exitCode: 0 });
  });

  it("ends a program that talks for ever", async () => {
    const done = await sh("while :; do echo x; sleep 0.02; done", {
      timeoutMs: 300,
      idleTimeoutMs: 10_000,
      graceMs: 500,
    });
    expect(done.stoppedBy).toBe("total");
  });

  it("waits for a program with limits that are longer than timers can be", async () => {
    const done = await sh("sleep 0.1", { timeoutMs: 2 ** 40, idleTimeoutMs: 2 ** 40 });
    expect(done.stoppedBy).toBeNull();
  });
});

describe("spawnCli ends everything when it is aborted", () => {
  it.each([
    ["a program that handles SIGINT", "echo ready; exec sleep 60"],
    [
      "one that ignores SIGINT and SIGTERM",
      "trap '' INT TERM; echo ready; while :; do sleep 1; done",
    ],
    ["its children and grandchildren", "(sleep 60 & sleep 60) & echo ready; wait"],
    ["orphans", "(sleep 60 &) ; (sleep 60 &); echo ready; exec sleep 60"],
    ["daemons in their own session", "setsid sleep 60 & sleep 0.1; echo ready; wait"],
    ["children without our environment", "env -i setsid sleep 60 & sleep 0.2; echo ready; wait"],
  ])("%s", async (_name, script) => {
    const abort = new AbortController();
    let before: ProcessIdentity[] = [];
    const done = await sh(script, {
      graceMs: 200,
      signal: abort.signal,
      onLine: onReady(() => {
        before = runMembers({ tag }).flatMap((row) => identifyProcess(row.pid) ?? []);
        abort.abort();
      }),
    });
    expect(done.stoppedBy).toBe("abort");
    expect(before.length).toBeGreaterThan(0);
    expect(before.filter((process) => livenessOf(process) !== "dead")).toEqual([]);
  });

  it("and keeps what the program said while it was ending", async () => {
    const abort = new AbortController();
    const done = await sh("trap 'echo bye; exit 9' INT; echo ready; while :; do sleep 0.05; done", {
      signal: abort.signal,
      graceMs: 5_000,
      onLine: onReady(() => abort.abort()),
    });
    expect(done).toMatchObject({
      stoppedBy: "abort",
      exitCode: 9,
      stdout: { text: "ready\nbye\n" },
    });
  });
});

describe("spawnCli does not wait for what a program leaves behind", () => {
  it("but ends it, although it holds the pipes open", async () => {
    const done = await sh("sleep 60 & echo done", { drainMs: 200 });
    expect(done).toMatchObject({ exitCode: 0, stdout: { text: "done\n" }, leftovers: 1 });
  });

  it("and leaves it running if the caller wants to keep it", async () => {
    const done = await sh("sleep 60 & echo $!", { drainMs: 200, leftovers: "keep" });
    const pid = Number(done.stdout.text);
    expect(done.leftovers).toBe(0);
    expect(findTagged(tag)).toEqual([pid]);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => findTagged(tag)).toEqual([]);
  });

  it("and reads what it says within the drain time", async () => {
    const done = await sh("(sleep 0.2; echo late) & echo early", { drainMs: 5_000 });
    expect(done.stdout.text).toBe("early\nlate\n");
  });
});

describe("spawnCli passes lines on", () => {
  it("in order and whole, from both streams", async () => {
    const lines: OutputLine[] = [];
    await sh("printf 'a\\nb\\r\\n\\nc'; sleep 0.1; printf 'x' >&2", {
      onLine: (line) => {
        lines.push(line);
      },
    });
    expect(lines.filter((line) => line.stream === "stdout").map((line) => line.text)).toEqual([
      "a",
      "b",
      "",
      "c",
    ]);
    expect(lines.filter((line) => line.stream === "stderr").map((line) => line.text)).toEqual([
      "x",
    ]);
  });

  it("at the consumer's pace, so that the program waits", async () => {
    let taken = 0;
    const abort = new AbortController();
    const script =
      "let n=0;const line='x'.repeat(1023)+'\\n';function more(){while(n<100000){n++;if(!process.stdout.write(line))return process.stdout.once('drain',more)}};process.on('SIGINT',()=>{process.stderr.write(String(n),()=>process.exit(0))});more()";
    const done = await node(script, {
      signal: abort.signal,
      graceMs: 10_000,
      onLine: async (line) => {
        if (line.stream === "stderr" || taken++ > 0) return;
        await sleep(500);
        abort.abort();
        await sleep(300);
      },
    });
    expect(done.stoppedBy).toBe("abort");
    // Pipe and stream buffers hold a few hundred lines; an unread 100 MB would be 100,000.
    expect(Number(done.stderr.text)).toBeGreaterThan(0);
    expect(Number(done.stderr.text)).toBeLessThan(2_000);
  });

  it("and ends the program when the consumer fails", async () => {
    const promise = attempt("sh", ["-c", "echo one; sleep 60"], {
      graceMs: 200,
      onLine: () => {
        throw new Error("cannot take it");
      },
    });
    await expect(promise).rejects.toThrow("cannot take it");
  });
});

describe("spawnCli withstands output", () => {
  it("of 200 MB without its memory growing", { timeout: 60_000 }, async () => {
    const before = process.memoryUsage().rss;
    let peak = 0;
    let lines = 0;
    const done = await sh("head -c 200000000 /dev/zero | tr '\\0' 'x' | fold -w 99", {
      maxOutputBytes: 65_536,
      onLine: () => {
        if (++lines % 50_000 === 0) peak = Math.max(peak, process.memoryUsage().rss);
      },
    });
    expect(lines).toBe(Math.ceil(200_000_000 / 99));
    expect(done.stdout.totalBytes).toBeGreaterThan(200_000_000);
    expect(done.stdout.text.length).toBeLessThan(66_000);
    expect(peak - before).toBeLessThan(96 * 1024 * 1024);
  });

  it("of 200 MB without a line break", { timeout: 60_000 }, async () => {
    const lines: OutputLine[] = [];
    const before = process.memoryUsage().rss;
    const done = await sh("head -c 200000000 /dev/zero | tr '\\0' 'x'", {
      maxLineChars: 1_000,
      onLine: (line) => {
        lines.push(line);
      },
    });
    expect(lines).toEqual([
      { stream: "stdout", text: "x".repeat(1_000), omittedChars: 199_999_000 },
    ]);
    expect(done.stdout).toMatchObject({ totalBytes: 200_000_000 });
    expect(process.memoryUsage().rss - before).toBeLessThan(96 * 1024 * 1024);
  });

  it("with NUL, invalid UTF-8 and characters split between writes", async () => {
    const lines: string[] = [];
    const done = await sh(
      "printf 'a\\000b\\377c\\n'; printf '\\360\\237'; sleep 0.1; printf '\\222\\245\\n'",
      {
        onLine: (line) => {
          lines.push(line.text);
        },
      },
    );
    expect(done.stdout.text).toBe("a\0b\uFFFDc\n💥\n");
    expect(lines).toEqual(["a\0b\uFFFDc", "💥"]);
  });

  it("that is closed early by the program", async () => {
    const done = await sh("echo said; exec 1>&- 2>&-; sleep 0.2; exit 5");
    expect(done).toMatchObject({ exitCode: 5, stdout: { text: "said\n" } });
  });
});
