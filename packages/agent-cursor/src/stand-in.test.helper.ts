import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "@uncaged/workflow-protocol";

/** What the stand-in does in a turn: its prompt is a JSON list of these. */
export type Deed =
  /** Writes one event. */
  | { say: JsonObject }
  /** Writes this text as it is, so often. */
  | { raw: string; times?: number }
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
  const command = join(folder, "cursor-agent");
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
  console.log("2026.01.28-fd13201");
  process.exit(0);
}
if (argv[0] === "--help") {
  console.log("Commands:\\n  login\\n  acp  Start the agent as an ACP server");
  process.exit(0);
}
if (argv[0] === "status") {
  console.log(process.env.LOGGED_IN ? "Logged in as ada@mail.example" : "Not logged in");
  process.exit(0);
}
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
    if (deed.deaf) for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => {});
    if (deed.daemon) {
      const child = spawn("sleep", ["600"], { detached: true, stdio: "inherit" });
      note({ daemon: child.pid });
    }
    if (deed.hang) return setInterval(() => {}, 1000);
    if (deed.exit !== undefined) process.exit(deed.exit);
  }
})();
`;
