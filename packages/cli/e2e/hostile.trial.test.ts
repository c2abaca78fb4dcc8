/** Text from outside is data: it is refused, or passed on exactly. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli, type RunOptions } from "./cli.test.helper.ts";

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
});
afterAll(() => cli.close());

/** Starts an idle thread and returns its prompt as it was stored. */
async function storedPrompt(args: readonly string[], opts?: RunOptions): Promise<string> {
  const { threadId } = await cli.json<{ threadId: string }>(
    ["run", "steps", "--idle", ...args],
    opts,
  );
  const thread = await cli.json<ThreadView>(["thread", "show", threadId]);
  return thread.start.prompt;
}

describe("a prompt", () => {
  it("is passed on exactly, whatever it contains", async () => {
    const prompts = [
      "two\nlines\r\n\ttabbed\n",
      "type: state\npayload: {}\nrefs: []",
      "раypal — Ⅷ ﬁ é e\u0301 🙂 \u202e\u200b",
      "--json",
      "-",
      "$(touch owned) `touch owned` ; touch owned",
      "__proto__",
      '{"__proto__": {"steps": 9}}',
    ];
    for (const prompt of prompts) {
      // An argument "-" means stdin, so this prompt is passed there.
      const given =
        prompt === "-" ? storedPrompt(["-p", "-"], { stdin: "-" }) : storedPrompt(["-p", prompt]);
      expect(await given).toBe(prompt);
    }
    expect(readdirSync(cli.dir)).not.toContain("owned");
  });

  it("may contain NUL or be 2 MB long, from stdin or from a file", async () => {
    const prompt = `\u0000${"ä🙂 NUL \u0000 \u2028\n".repeat(120_000)}end`;
    expect(Buffer.byteLength(prompt)).toBeGreaterThan(2_000_000);
    expect(await storedPrompt(["--prompt", "-"], { stdin: prompt })).toBe(prompt);
    expect(await storedPrompt([], { stdin: prompt })).toBe(prompt);
    writeFileSync(join(cli.dir, "prompt.md"), prompt);
    expect(await storedPrompt(["--prompt-file", "prompt.md"])).toBe(prompt);
  });

  it("must be valid UTF-8, because anything else could not be passed on exactly", async () => {
    const stdin = Uint8Array.of(0x61, 0xff, 0x62);
    expect(await cli.fails(["run", "steps", "--idle", "-p", "-"], { stdin })).toMatchObject({
      exit: 2,
      message: "stdin is not valid UTF-8",
    });
  });

  it("reaches a role whole, and what a role says is stored whole", async () => {
    const says = `\u001b[2J${"x".repeat(100_000)}\u0000\n---\ntype: state\n`;
    const prompt = JSON.stringify({ steps: 1, says });
    const run = ["run", "steps", "-p", "-", "--wait"];
    const { threadId } = await cli.json<{ threadId: string }>(run, { stdin: prompt });
    const { steps } = await cli.json<ThreadView>(["thread", "show", threadId]);
    expect(steps[0]?.content).toBe(says);
    const exact = await cli.run(["cas", "get", "--payload", steps[0]?.contentHash ?? ""]);
    expect(exact.stdout).toBe(says);
    // The terminal output shows control characters instead of acting on them.
    expect((await cli.run(["thread", "show", threadId])).stdout).not.toContain("\u001b");
  });
});

const HOSTILE = [
  "",
  ".",
  "..",
  "../../etc/passwd",
  "/etc/passwd",
  "a/b",
  "__proto__",
  "constructor",
  "name\nwith lines",
  "name\u001b[31m",
  "STEPS",
  "ѕteps",
  "steps ",
  "x".repeat(10_000),
  "%",
  "_",
];

describe("a failure of an agent", () => {
  it("is shown to people, not obeyed by their terminal", async () => {
    const prompt = JSON.stringify({ failAt: 1, says: "\u001b[2J" });
    const waited = await cli.run(["run", "steps", "-p", prompt, "--wait"]);
    expect(waited.stdout).toContain("the worker broke at step 1␛[2J");
    const shown = await cli.run(["thread", "show", waited.stderr.trim().slice(-26)]);
    expect(shown.stdout).toContain("the worker broke at step 1␛[2J");
  });
});

describe("a name", () => {
  it("that is not registered is refused, and nothing is created", async () => {
    for (const name of HOSTILE) {
      expect(await cli.fails(["run", "--idle", "--", name])).toMatchObject({
        exit: 1,
        code: "WORKFLOW_NOT_FOUND",
      });
    }
  });
});

describe("an id", () => {
  it("that no thread has is refused", async () => {
    for (const id of HOSTILE) {
      const { exit, code } = await cli.fails(["thread", "show", "--", id]);
      expect([id.slice(0, 20), exit, code]).toEqual([id.slice(0, 20), 1, "THREAD_NOT_FOUND"]);
    }
  });

  it("that matches several threads is refused, and the message says which", async () => {
    const ids = [await storedThread(), await storedThread()];
    const { code, exit, message } = await cli.fails(["thread", "show", ids[0]?.slice(0, 2) ?? ""]);
    expect([exit, code]).toEqual([2, "THREAD_AMBIGUOUS"]);
    expect(message).toMatch(/matches several threads: [0-9A-Z]{26}, /);
  });

  it("of a blob must be a hash before it touches a path", async () => {
    for (const hash of [...HOSTILE, "D4KP4Y6MRRVJV.txt", "d4kp4y6mrrvjv", "D4KP4Y6MRRVJ"]) {
      expect(await cli.fails(["cas", "get", "--", hash])).toMatchObject({ exit: 2, code: "USAGE" });
    }
    for (const verb of ["show", "rm"]) {
      expect(await cli.fails(["cas", verb, "../x"])).toMatchObject({ exit: 2, code: "USAGE" });
    }
  });
});

async function storedThread(): Promise<string> {
  const made = await cli.json<{ threadId: string }>(["run", "steps", "--idle", "-p", "x"]);
  return made.threadId;
}
