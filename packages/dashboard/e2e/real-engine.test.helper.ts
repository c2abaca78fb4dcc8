import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../../cli/bin/uncaged-workflow.mjs", import.meta.url));

const DRAFT = (reader: string, goal: string): string => `# what they said
description: A colleague drafts letters, and I read each
roles:
  drafter:
    goal: ${goal}
    output: { type: object, properties: { text: { type: string } }, required: [text] }
  reader:
    by: person
    goal: Read the letter
    output: { type: object, properties: { status: { enum: [send, again] }, wish: { type: string } }, required: [status] }
graph:
  $START: { new: drafter }
  drafter: { role: ${reader}, prompt: "{{ last.meta.text }}" }
  reader: { send: $END, again: { role: drafter, prompt: "{{ last.meta.wish }}" } }
`;

/** Plays the workflow `author`: asks once, names at first a role that is not there, and hears a wish. */
const AUTHOR = `
const say = (meta) => { console.log(JSON.stringify(meta)); process.exit(); };
if (process.env.UNCAGED_ROLE === "interviewer") {
  if (said.includes("I read each one")) say({ status: "clear", question: "", summary: "Draft, then a person reads." });
  say({ status: "asks", question: "Who reads the letters?", summary: "" });
}
if (said.includes("Draft, then a person reads.")) {
  if (said.includes("shorter letters")) say({ yaml: ${JSON.stringify(DRAFT("reader", "Draft a short letter"))} });
  if (said.includes("The engine refuses it")) say({ yaml: ${JSON.stringify(DRAFT("reader", "Draft the letter"))} });
  say({ yaml: ${JSON.stringify(DRAFT("readr", "Draft the letter"))} });
}`;

/** Says a letter to whomever the prompt names, and writes it down where there is a repository. */
const PRACTICE = `import { existsSync, writeFileSync } from "node:fs";
let said = "";
for await (const chunk of process.stdin) said += chunk;
${AUTHOR}
const to = /To (\\w+)/.exec(said)?.[1] ?? "nobody";
const again = said.includes("shorter") ? "short" : "long";
if (existsSync(".git")) writeFileSync("letter.txt", "Dear " + to + ",\\n<img src=x onerror=alert(1)>\\n" + again + "\\n");
console.log(JSON.stringify({ text: "Dear " + to + ", it is done.", said: "It is out." }));
`;

/** The built command on a fresh storage root, in which a program plays every role that no person plays. */
export type RealEngine = {
  /** The JSON document of a command, whatever its exit code. */
  json: <T>(...args: readonly string[]) => Promise<T>;
  /** Writes a YAML file and registers it. */
  add: (name: string, yaml: string) => Promise<void>;
  /** A git repository with a letter in it; returns its folder. */
  repository: () => string;
  /** Starts `up`; its end is the code with which it exits. */
  up: () => Promise<{ ended: Promise<number | null> }>;
  /** Starts `dashboard`; `link` logs in once. */
  dashboard: () => Promise<{ origin: string; link: string }>;
  close: () => Promise<void>;
};

export type HasAgents = "with agents" | "without agents";

export function openRealEngine(has: HasAgents = "with agents"): RealEngine {
  const dir = mkdtempSync(join(tmpdir(), "uwf-page-"));
  const root = join(dir, "root");
  mkdirSync(root);
  writeFileSync(join(dir, "practice.mjs"), PRACTICE);
  const args = [join(dir, "practice.mjs")];
  const options = { command: process.execPath, args, output: "json" };
  const practice = { package: "@uncaged/workflow-agent-command", options };
  const agents = { practice, swift: practice };
  const config = has === "with agents" ? { agents, defaultAgent: "practice" } : {};
  writeFileSync(join(root, "workflow.yaml"), JSON.stringify({ config }), { mode: 0o600 });
  const env = { PATH: process.env.PATH, HOME: dir, WORKFLOW_STORAGE_ROOT: root };
  let shown: ChildProcess | null = null;
  let host: ChildProcess | null = null;

  const json = async <T>(...words: readonly string[]): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    execFile(
      process.execPath,
      [BIN, "--json", ...words],
      { cwd: dir, env },
      (_error, stdout, stderr) => {
        if (stdout === "") reject(new Error(`${words.join(" ")}: ${stderr}`));
        else resolve(JSON.parse(stdout));
      },
    );
    return promise;
  };
  return {
    json,
    async add(name, yaml) {
      writeFileSync(join(dir, `${name}.yaml`), yaml);
      await json("workflow", "add", name, `${name}.yaml`);
    },
    repository() {
      const folder = join(dir, "letters");
      mkdirSync(folder);
      writeFileSync(join(folder, "letter.txt"), "Dear nobody,\n");
      const git = (...words: string[]) =>
        execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a", ...words], { cwd: folder });
      git("init", "-q");
      git("add", ".");
      git("commit", "-qm", "a letter");
      return folder;
    },
    async up() {
      const child = spawn(process.execPath, [BIN, "--json", "up"], {
        cwd: dir,
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      host = child;
      const ended = once(child, "exit").then(([code]) => code);
      await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
      return { ended };
    },
    async dashboard() {
      const words = ["--json", "dashboard", "--no-open", "--port", "0"];
      const child = spawn(process.execPath, [BIN, ...words], {
        cwd: dir,
        env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      shown = child;
      const { value } = await createInterface({ input: child.stdout })
        [Symbol.asyncIterator]()
        .next();
      return JSON.parse(value ?? "null");
    },
    async close() {
      const { threads } = await json<{ threads: { threadId: string }[] }>("thread", "ps");
      for (const { threadId } of threads) await json("thread", "kill", threadId);
      for (const child of [shown, host]) {
        if (child === null || child.exitCode !== null) continue;
        const exit = once(child, "exit");
        child.kill("SIGTERM");
        await exit;
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
