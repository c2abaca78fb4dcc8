/** A repository and workflows whose roles do there what their prompt says: `sh: <command>`. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Cli, openCli } from "./cli.test.helper.ts";

/** Runs the last `sh: …` of its prompt. */
const AGENT = `command=$(sed -n 's/^.*sh: //p' | tail -n 1)
sh -c "$command" > /dev/null || exit 1
echo '{"status":"done"}'
`;

const OUTPUT =
  "{ type: object, properties: { status: { enum: [done] } }, required: [status], additionalProperties: false }";
const role = (goal: string): string => `{ goal: ${goal}, output: ${OUTPUT} }`;

/** Two steps: what the prompt says, then what \`then\` says. */
const flow = (name: string, workspace: string): string => `description: ${name}
workspace: ${workspace}
agents: { default: hand }
roles: { worker: ${role("work")}, second: ${role("go on")} }
graph:
  $START: { new: { role: worker, prompt: "{{ start.content }}" } }
  worker: { done: { role: second, prompt: "sh: echo 2 >> second" } }
  second: { done: $END }
`;

const FAN = `description: fan
agents: { default: hand }
roles: { worker: ${role("work")}, judge: ${role("judge")} }
graph:
  $START:
    new: { group: tries, each: "[1..3]", as: n, role: worker, workspace: worktree, prompt: "sh: cp began seen; echo {{ n }} > result; git add -A; git -c user.name=A -c user.email=a@b commit -qm {{ n }}" }
  tries: { done: { role: judge, prompt: "sh: ls > listed" }, otherwise: { role: judge, prompt: "sh: false" } }
  worker: { done: $END }
  judge: { done: $END }
`;

export type Place = Cli & {
  /** Root of the repository's work tree. */
  repo: string;
  git: (...args: string[]) => string;
  /** Starts a thread in the repository, and returns its id when it rests. */
  ended: (flow: string, prompt: string, ...more: string[]) => Promise<string>;
};

/** `config`: more of the configuration. */
export async function openPlace(config: Record<string, unknown> = {}): Promise<Place> {
  const cli = openCli();
  mkdirSync(cli.root, { recursive: true });
  const script = join(cli.dir, "agent.sh");
  writeFileSync(script, AGENT);
  const options = { command: "/bin/sh", args: [script], output: "json" };
  const agents = { hand: { package: "@uncaged/workflow-agent-command", options } };
  writeFileSync(
    join(cli.root, "workflow.yaml"),
    JSON.stringify({ config: { agents, ...config } }),
    {
      mode: 0o600,
    },
  );
  const flows = {
    shared: flow("shared", "shared"),
    alone: flow("alone", "exclusive"),
    apart: flow("apart", "worktree"),
    fan: FAN,
  };
  for (const [name, text] of Object.entries(flows)) {
    writeFileSync(join(cli.dir, `${name}.yaml`), text);
    await cli.here(["workflow", "add", name, join(cli.dir, `${name}.yaml`)]);
  }
  const repo = join(realpathSync(cli.dir), "repo");
  mkdirSync(join(repo, ".uncaged"), { recursive: true });
  const git = (...args: string[]): string => gitIn(repo, args);
  git("init", "-q", "-b", "main");
  writeFileSync(join(repo, "began"), "by a person\n");
  writeFileSync(join(repo, ".gitignore"), ".env\ninstalled\n");
  writeFileSync(join(repo, ".worktreeinclude"), ".env\n");
  writeFileSync(join(repo, ".env"), "KEY=1\n");
  writeFileSync(join(repo, ".uncaged", "setup"), "#!/bin/sh\necho once >> installed\n");
  chmodSync(join(repo, ".uncaged", "setup"), 0o755);
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  const ended: Place["ended"] = async (name, prompt, ...more) => {
    const run = ["run", name, "--cwd", repo, "--prompt", prompt, "--wait", ...more];
    const { threadId } = await cli.json<{ threadId: string }>(run);
    return threadId;
  };
  return { ...cli, repo, git, ended };
}

function gitIn(cwd: string, args: readonly string[]): string {
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "gc.auto=0"];
  const env = {
    PATH: process.env.PATH,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
  };
  return execFileSync("git", [...who, ...args], { cwd, encoding: "utf8", env, stdio: "pipe" });
}
