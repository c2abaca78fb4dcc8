import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../../cli/bin/uncaged-workflow.mjs", import.meta.url));

/** Says a letter to whomever the prompt names. */
const PRACTICE = `let said = "";
for await (const chunk of process.stdin) said += chunk;
const to = /To (\\w+)/.exec(said)?.[1] ?? "nobody";
console.log(JSON.stringify({ text: "Dear " + to + ", it is done." }));
`;

/** The built command on a fresh storage root, in which a program plays every role that no person plays. */
export type RealEngine = {
  /** The JSON document of a command, whatever its exit code. */
  json: <T>(...args: readonly string[]) => Promise<T>;
  /** Writes a YAML file and registers it. */
  add: (name: string, yaml: string) => Promise<void>;
  /** Starts `dashboard`; `link` logs in once. */
  dashboard: () => Promise<{ origin: string; link: string }>;
  close: () => Promise<void>;
};

export function openRealEngine(): RealEngine {
  const dir = mkdtempSync(join(tmpdir(), "uwf-page-"));
  const root = join(dir, "root");
  mkdirSync(root);
  writeFileSync(join(dir, "practice.mjs"), PRACTICE);
  const args = [join(dir, "practice.mjs")];
  const options = { command: process.execPath, args, output: "json" };
  const agents = { practice: { package: "@uncaged/workflow-agent-command", options } };
  const config = { agents, defaultAgent: "practice" };
  writeFileSync(join(root, "workflow.yaml"), JSON.stringify({ config }), { mode: 0o600 });
  const env = { PATH: process.env.PATH, HOME: dir, WORKFLOW_STORAGE_ROOT: root };
  let shown: ChildProcess | null = null;

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
      if (shown !== null && shown.exitCode === null) {
        const exit = once(shown, "exit");
        shown.kill("SIGTERM");
        await exit;
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
