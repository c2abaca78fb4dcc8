/** `answer` without fields, on a real terminal: `script` gives it one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";

const APPROVAL = `
description: A person approves.
roles:
  approver:
    by: person
    goal: Decide whether it is good.
    output:
      type: object
      properties: { status: { enum: [changes, approved] }, comment: { type: string } }
      required: [status]
graph:
  $START: { new: { role: approver, prompt: "Is this good?" } }
  approver: { approved: $END, changes: $END }
result: $string(last.meta)
`;
const DOWN = "\u001b[B";
const CANCEL = "\u0003";
const HANG_UP = "";

let cli: Cli;
let editor = "";
beforeAll(async () => {
  cli = openCli();
  writeFileSync(join(cli.dir, "approval.yaml"), APPROVAL);
  await cli.json(["workflow", "add", "approval", "approval.yaml"]);
  editor = join(cli.dir, "editor.sh");
  writeFileSync(editor, `#!/bin/sh\nprintf 'a long\\ntext' > "$1"\n`);
  chmodSync(editor, 0o700);
});
afterAll(() => cli.close());

async function asked(): Promise<string> {
  const words = ["--json", "run", "approval", "--prompt", "look", "--wait"];
  const { threadId }: { threadId: string } = JSON.parse((await cli.run(words)).stdout);
  return threadId;
}

/** Runs it on a terminal, and types each of these once its words are on the screen. Returns the exit code. */
async function typed(
  words: readonly string[],
  keys: readonly (readonly [on: string, key: string])[],
): Promise<number> {
  const line = `stty cols 100 rows 40; exec '${process.execPath}' '${BIN}' ${words.join(" ")}`;
  const command =
    process.platform === "darwin"
      ? ["-q", "/dev/null", "sh", "-c", line]
      : ["-qec", line, "/dev/null"];
  const terminal = spawn("script", command, {
    cwd: cli.dir,
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      ...{ PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: cli.root },
      ...{ EDITOR: editor, TERM: "xterm", SHELL: "/bin/sh" },
    },
  });
  const left = [...keys];
  let screen = "";
  terminal.stdout.on("data", (chunk: Buffer) => {
    screen += chunk.toString();
    const [next] = left;
    if (next === undefined || !screen.includes(next[0])) return;
    left.shift();
    screen = "";
    if (next[1] === HANG_UP) terminal.stdin.end();
    else terminal.stdin.write(next[1]);
  });
  const [code]: number[] = await once(terminal, "exit");
  expect(left).toEqual([]);
  return code ?? -1;
}

it("asks for each field: choices as a list, long texts in the editor", async () => {
  const threadId = await asked();
  const keys = [
    ["approved", `${DOWN}\r`],
    ["opens", "\\e\r"],
  ] as const;
  expect(await typed(["answer", threadId, "--wait"], keys)).toBe(0);
  const { result } = await cli.json<{ result: string }>(["thread", "result", threadId]);
  expect(JSON.parse(result)).toEqual({ status: "approved", comment: "a long\ntext" });
});

it("answers nothing when it is cancelled", async () => {
  const threadId = await asked();
  expect(await typed(["answer", threadId], [["approved", CANCEL]])).not.toBe(0);
  expect(await cli.json(["show", threadId])).toMatchObject({ status: "suspended", steps: [] });
});

it("answers nothing, and says so, when the input ends before a question is answered", async () => {
  const threadId = await asked();
  expect(await typed(["answer", threadId], [["approved", HANG_UP]])).toBe(2);
  expect(await cli.json(["show", threadId])).toMatchObject({ status: "suspended", steps: [] });
});
