/** `answer` without fields, on a real terminal: `script` gives it one. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { CANCEL, HANG_UP, type Key, typeInto } from "./terminal.test.helper.ts";

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

const typed = (words: readonly string[], keys: readonly Key[]): Promise<number> =>
  typeInto(cli, words, { keys, env: { EDITOR: editor } });

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
