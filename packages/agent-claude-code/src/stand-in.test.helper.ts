import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@uncaged/workflow-protocol";
import { nodeScriptHead } from "@uncaged/workflow-util-agent/testing";

/** What the stand-in does in a turn: its prompt is a JSON list of these; any other prompt asks for nothing. Without
 *  a result of its own the turn ends well. */
export type Deed =
  /** Writes one message. */
  | { say: JsonObject }
  /** Writes this text as it is, this many times. */
  | { raw: string; times?: number }
  | { stderr: string }
  /** Sends us a request, and records the answer. */
  | { ask: JsonObject }
  /** Starts a process in its own session. */
  | { daemon: true }
  /** Ignores signals and interrupts from here on. */
  | { deaf: true }
  /** Responds to the stop procedure with a result, as if the turn had failed by itself. */
  | { rude: true }
  /** Never ends the turn. */
  | { hang: true }
  | { exit: number };

export type StandIn = {
  command: string;
  prompt(deeds: readonly Deed[]): string;
  /** What it recorded: its arguments, its environment, every line on its stdin. */
  noted(): Promise<readonly { [what: string]: JsonValue }[]>;
};

/** Creates an executable that speaks Claude Code's side of the protocol, and records what it receives. */
export async function standIn(folder: string): Promise<StandIn> {
  const command = join(folder, "claude");
  const log = join(folder, "noted.jsonl");
  await writeFile(log, "");
  await writeFile(command, `${nodeScriptHead()}\nconst LOG = ${JSON.stringify(log)};\n${PROGRAM}`);
  await chmod(command, 0o755);
  return {
    command,
    prompt: (deeds) => JSON.stringify(deeds),
    noted: async () =>
      (await readFile(log, "utf8"))
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
  };
}

const PROGRAM = `
const { appendFileSync, existsSync } = require("node:fs");
const { spawn } = require("node:child_process");
const { createInterface } = require("node:readline");
const note = (what) => appendFileSync(LOG, JSON.stringify(what) + "\\n");
const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
const argv = process.argv.slice(2);

if (argv[0] === "--version") {
  console.log("2.1.329 (Claude Code)");
  process.exit(0);
}
if (argv[0] === "auth") {
  console.log(JSON.stringify({ loggedIn: existsSync(process.env.CLAUDE_CONFIG_DIR + "/.credentials.json") }));
  process.exit(0);
}
note({ argv, env: process.env, cwd: process.cwd() });

const resumed = argv.includes("--resume") ? argv[argv.indexOf("--resume") + 1] : null;
const session_id = argv.includes("--fork-session") ? "copy-of-" + resumed : (resumed ?? "5e55-1");
if (resumed === "lost") {
  say({ type: "result", is_error: true, subtype: "error_during_execution", session_id, errors: ["No conversation found with session ID: lost"] });
  process.exit(1);
}
const deedsIn = (text) => (text.startsWith("[") ? JSON.parse(text) : []);
let turns = 0;
let deaf = false;
const answers = new Map();
const usage = (n) => ({ model: { inputTokens: 100 * n, outputTokens: 10 * n, cacheReadInputTokens: 0, cacheCreationInputTokens: 0, costUSD: 0.5 * n } });
const result = (more) =>
  say({ modelUsage: usage(turns), is_error: false, subtype: "success", terminal_reason: "completed", result: "", session_id, ...more, type: "result" });
let rude = false;
process.on("SIGINT", () => {
  if (rude) result({ is_error: true, subtype: "error_during_execution", errors: ["[diagnostic] none"] });
  if (!deaf) process.exit(0);
});
process.on("SIGTERM", () => deaf || process.exit(143));

async function act(deeds) {
  turns++;
  say({ type: "system", subtype: "init", session_id });
  for (const deed of deeds) {
    if (deed.say !== undefined) say({ session_id, ...deed.say });
    if (deed.say?.type === "result") return;
    for (let left = deed.raw === undefined ? 0 : (deed.times ?? 1); left > 0; left--) {
      if (!process.stdout.write(deed.raw)) await new Promise((go) => process.stdout.once("drain", go));
    }
    if (deed.stderr !== undefined) process.stderr.write(deed.stderr);
    if (deed.ask !== undefined) {
      const request_id = "ask-" + answers.size;
      const answer = new Promise((go) => answers.set(request_id, go));
      say({ type: "control_request", request_id, request: deed.ask });
      note({ answer: await answer });
    }
    if (deed.daemon) spawn("sleep", ["60"], { detached: true, stdio: "ignore" }).unref();
    if (deed.deaf) deaf = true;
    if (deed.rude) rude = true;
    if (deed.hang) return void setInterval(() => {}, 60_000);
    if (deed.exit !== undefined) process.exit(deed.exit);
  }
  result({});
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    note({ heard: message });
    if (message.type === "user") act(deedsIn(message.message.content[0].text));
    if (message.type === "control_response") answers.get(message.response.request_id)(message.response);
    if (message.request?.subtype === "interrupt" && !deaf) {
      result({ is_error: true, subtype: "error_during_execution", terminal_reason: "aborted_tools" });
    }
  })
  .on("close", () => deaf || process.exit(0));
`;
