import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What the stand-in does in a turn: its prompt is a JSON list of these. */
export type Deed =
  | { stdout: string }
  | { stderr: string }
  /** Starts a process in a session of its own. */
  | { daemon: true }
  /** Hears no signal from here on. */
  | { deaf: true }
  | { hang: true }
  | { exit: number };

/** One start of the stand-in, as it saw it. */
export type Start = {
  argv: string[];
  env: { [name: string]: string };
  cwd: string;
  stdinChars: number;
  daemon?: number;
};

export type StandIn = { command: string; starts(): Promise<Start[]> };

/** Makes an executable that notes how it is started and does what its prompt says. */
export async function standIn(folder: string): Promise<StandIn> {
  const command = join(folder, "hermes");
  const log = join(folder, "starts.jsonl");
  await writeFile(log, "");
  await writeFile(
    command,
    `#!${process.execPath}\nconst LOG = ${JSON.stringify(log)};\n${PROGRAM}`,
  );
  await chmod(command, 0o755);
  return {
    command,
    starts: async () =>
      (await readFile(log, "utf8"))
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
  };
}

const PROGRAM = `
const { appendFileSync, readFileSync } = require("node:fs");
const { spawn } = require("node:child_process");
const argv = process.argv.slice(2);
if (argv[0] === "--version") {
  console.log("Hermes Agent v0.21.3 (2026.10.2)");
  process.exit(0);
}
const stdin = readFileSync(0, "utf8");
const noted = { argv, env: process.env, cwd: process.cwd(), stdinChars: stdin.length };
const note = (more) => appendFileSync(LOG, JSON.stringify({ ...noted, ...more }) + "\\n");
const deeds = stdin.startsWith("[") ? JSON.parse(stdin) : [];
if (!deeds.some((deed) => deed.daemon)) note({});
for (const deed of deeds) {
  if (deed.stdout) process.stdout.write(deed.stdout + "\\n");
  if (deed.stderr) process.stderr.write(deed.stderr + "\\n");
  if (deed.deaf) for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => {});
  if (deed.daemon) {
    const child = spawn("sleep", ["600"], { detached: true, stdio: "inherit" });
    note({ daemon: child.pid });
  }
  if (deed.hang) setInterval(() => {}, 1000);
  if (deed.exit !== undefined) process.exitCode = deed.exit;
}
`;
