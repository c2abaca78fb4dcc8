import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMANDS } from "../commands.ts";
import { bashCompletion } from "./bash.ts";
import { completionModel } from "./model.ts";

let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "uwf-completion-"));
  const script = bashCompletion(await completionModel(COMMANDS), ["uncaged-workflow", "uwf"]);
  writeFileSync(join(folder, "completion.bash"), script);
  // Stands in for the installed program: it knows two workflows and one thread.
  const program = join(folder, "uwf");
  const answer = `case "$*" in
    'completion --list workflows') printf 'review\\nrelease\\n' ;;
    'completion --list threads') printf '01K0000000000000000000000A\\n02K0000000000000000000000B\\n' ;;
    'completion --list threads --described')
      printf '01K0000000000000000000000A\\t$(touch owned); say * (2 d ago)\\n02K0000000000000000000000B\\tFix (3 s ago)\\n' ;;
  esac`;
  writeFileSync(program, `#!/bin/sh\n${answer}\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, "prompt *.md"), "");
  mkdirSync(join(folder, "prompts"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a real bash offers for the last word. */
function offered(...words: string[]): string[] {
  return offeredFor({ COMP_TYPE: "9" }, words);
}

/** The same when the choices are only listed, after a second tab. */
function shown(...words: string[]): string[] {
  return offeredFor({ COMP_TYPE: "63" }, words);
}

function offeredFor(at: { COMP_TYPE: string }, words: readonly string[]): string[] {
  const ask = `set -u; source ./completion.bash
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    eval "$(complete -p uwf | sed 's/.*-F \\([^ ]*\\) .*/\\1/')"
    for word in \${COMPREPLY[@]+"\${COMPREPLY[@]}"}; do printf '%s\\n' "$word"; done`;
  const out = execFileSync("bash", ["--norc", "-c", ask, "bash", "uwf", ...words], {
    cwd: folder,
    env: { ...process.env, ...at, PATH: `${folder}${delimiter}${process.env.PATH}` },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return out.split("\n").filter((line) => line !== "");
}

test("commands are completed, and then their subcommands", () => {
  expect(offered("th")).toEqual(["thread"]);
  expect(offered("thread", "resum")).toEqual(["resume"]);
  expect(offered("")).toEqual(expect.arrayContaining(COMMANDS.map(({ name }) => name)));
});

test("options are completed for the command that they belong to", () => {
  expect(offered("thread", "run", "--w")).toEqual(["--wait", "--worktree"]);
  expect(offered("cas", "gc", "--d")).toEqual(["--dry-run"]);
  expect(offered("thread", "show", "--w")).toEqual([]);
});

test("workflow names and thread ids come from the program", () => {
  expect(offered("run", "re")).toEqual(["review", "release"]);
  expect(offered("workflow", "show", "rev")).toEqual(["review"]);
  expect(offered("thread", "show", "01")).toEqual(["01K0000000000000000000000A"]);
});

test("listed threads have a title and an age, a single one is only its id", () => {
  expect(shown("thread", "show", "")).toEqual([
    "01K0000000000000000000000A  $(touch owned); say * (2 d ago)",
    "02K0000000000000000000000B  Fix (3 s ago)",
  ]);
  expect(offered("thread", "show", "")).toEqual([
    "01K0000000000000000000000A",
    "02K0000000000000000000000B",
  ]);
  expect(shown("thread", "show", "02K")).toEqual(["02K0000000000000000000000B"]);
  expect(shown("thread", "show", "9")).toEqual([]);
  expect(readdirSync(folder)).not.toContain("owned");
});

test("the value of an option is completed according to its kind", () => {
  expect(offered("thread", "list", "--status", "p")).toEqual(["paused"]);
  expect(offered("thread", "list", "--status", "=", "p")).toEqual(["paused"]);
  expect(offered("run", "review", "--prompt-file", "prompt")).toEqual(["prompt *.md", "prompts"]);
  expect(offered("run", "--prompt", "")).toEqual([]);
});

test("the value of an option is not mistaken for an argument", () => {
  expect(offered("thread", "run", "--prompt", "show", "re")).toEqual(["review", "release"]);
  expect(offered("workflow", "add", "--types", "a.d.ts", "new", "prompt")).toEqual([
    "prompt *.md",
    "prompts",
  ]);
});

test("where no more words are accepted, none are offered", () => {
  expect(offered("thread", "show", "01K0000000000000000000000A", "")).toEqual([]);
  expect(offered("thread", "nonsense", "")).toEqual([]);
});

test("where several threads may be named, each of them is completed", () => {
  const id = "01K0000000000000000000000A";
  for (const path of [["wait"], ["thread", "kill"]]) {
    expect(offered(...path, id, "02")).toEqual(["02K0000000000000000000000B"]);
    expect(offered(...path, id, id, id, "02")).toEqual(["02K0000000000000000000000B"]);
  }
});
