import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "@uncaged/workflow-protocol";

/** What the stand-in does: its stdin is a JSON list of these. */
export type StandInDeed =
  /** Writes one event. */
  | { say: JsonObject }
  /** Writes this text as it is, this many times. */
  | { raw: string; times?: number }
  | { stderr: string }
  /** Starts a process in its own session. */
  | { daemon: true }
  /** Writes this and exits when it is told to stop. */
  | { parting: JsonObject }
  /** Ignores signals from here on. */
  | { deaf: true }
  /** Writes this at this interval and never ends. */
  | { repeat: JsonObject; everyMs: number }
  | { hang: true }
  | { exit: number };

/** One start of the stand-in, as it saw it. */
export type StandInStart = {
  argv: string[];
  env: { [name: string]: string };
  cwd: string;
  stdinChars: number;
  daemon?: number;
};

export type StandIn = {
  command: string;
  /** All of them, in order. */
  starts(): Promise<StandInStart[]>;
  /** The one at this index, from 0; the first by default. Throws when there is none. */
  start(at?: number): Promise<StandInStart>;
};

/** Creates an executable that records how it is started and does what its stdin says. */
export async function standInProgram(
  folder: string,
  about: {
    name: string;
    /** JavaScript that answers questions such as `--version`, by `argv`, and exits. */
    answers: string;
  },
): Promise<StandIn> {
  const command = join(folder, about.name);
  const log = join(folder, "starts.jsonl");
  await writeFile(log, "");
  await writeFile(
    command,
    [
      nodeScriptHead(),
      `const LOG = ${JSON.stringify(log)};`,
      "const argv = process.argv.slice(2);",
      about.answers,
      PROGRAM,
    ].join("\n"),
  );
  await chmod(command, 0o755);
  const starts: StandIn["starts"] = async () =>
    (await readFile(log, "utf8"))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  return {
    command,
    starts,
    start: async (at = 0) => {
      const found = (await starts())[at];
      if (found === undefined) throw new Error(`it was not started ${at + 1} times`);
      return found;
    },
  };
}

/** First lines of an executable script for the running Node: a `#!` line itself cannot name a path with a space. To
 *  JavaScript the second line is a string and a comment. */
export function nodeScriptHead(): string {
  return `#!/bin/sh\n':' //; exec "${process.execPath}" "$0" "$@"`;
}

const PROGRAM = `
const { appendFileSync, readFileSync } = require("node:fs");
const { spawn } = require("node:child_process");
const stdin = readFileSync(0, "utf8");
const noted = { argv, env: process.env, cwd: process.cwd(), stdinChars: stdin.length };
const note = (more) => appendFileSync(LOG, JSON.stringify({ ...noted, ...more }) + "\\n");
const write = (text) => new Promise((done) => process.stdout.write(text, done));
(async () => {
  const deeds = stdin.startsWith("[") ? JSON.parse(stdin) : [];
  if (!deeds.some((deed) => deed.daemon)) note({});
  for (const deed of deeds) {
    if (deed.say) await write(JSON.stringify(deed.say) + "\\n");
    for (let left = deed.raw === undefined ? 0 : (deed.times ?? 1); left > 0; left--) await write(deed.raw);
    if (deed.stderr) process.stderr.write(deed.stderr + "\\n");
    if (deed.parting) process.on("SIGINT", () => write(JSON.stringify(deed.parting) + "\\n").then(() => process.exit(130)));
    if (deed.deaf) for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => {});
    if (deed.daemon) {
      const child = spawn("sleep", ["600"], { detached: true, stdio: "inherit" });
      note({ daemon: child.pid });
    }
    if (deed.repeat) setInterval(() => write(JSON.stringify(deed.repeat) + "\\n"), deed.everyMs);
    if (deed.repeat || deed.hang) return setInterval(() => {}, 1000);
    if (deed.exit !== undefined) process.exit(deed.exit);
  }
})();
`;
