/** The built command on a real terminal: `script` gives it one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "vitest";
import { BIN, type Cli } from "./cli.test.helper.ts";

export const CANCEL = "\u0003";
export const HANG_UP = "";

/** What is typed once these words are on the screen. */
export type Key = readonly [on: string, key: string];

/** Runs a command and types. Returns its exit code. */
export async function typeInto(
  cli: Cli,
  words: readonly string[],
  { keys, env = {} }: { keys: readonly Key[]; env?: Record<string, string> },
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
      ...{ TERM: "xterm", SHELL: "/bin/sh", ...env },
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
