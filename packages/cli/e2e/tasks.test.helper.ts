/** A repository with tasks, with a bare remote or without one, and the built command to use there. */
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fakeIo } from "../src/command/io.test.helper.ts";
import { runCli } from "../src/run-cli.ts";
import { BIN, type Ran } from "./cli.test.helper.ts";

type TaskState = { id: string; state: string; attempt: number; [key: string]: unknown };

export type Scene = {
  dir: string;
  /** The main work tree. */
  repo: string;
  /** Where the integration branch is: the bare remote, or the repository. */
  shared: string;
  worktree(task: string): string;
  git(cwd: string, ...args: string[]): string;
  write(cwd: string, files: Record<string, string>): void;
  /** Writes files and commits them. */
  commit(cwd: string, files: Record<string, string>, message?: string): void;
  /** `uncaged-workflow task …`, as built. */
  task(cwd: string, args: readonly string[], env?: Record<string, string>): Promise<Ran>;
  /** The same, to be killed; `words`: another command. What it says is kept for `said`. */
  start(cwd: string, args: readonly string[], words?: readonly string[]): ChildProcess;
  /** What everything that was started has said. */
  said(): string;
  /** Another command, as built, in the main work tree. */
  cli(args: readonly string[]): Promise<Ran>;
  /** The task of a verb that must succeed. By the sources, in this process, like the next two: a process takes several
   *  times as long. */
  does(cwd: string, ...args: string[]): Promise<TaskState>;
  /** How a verb that must fail does. */
  fails(
    cwd: string,
    ...args: string[]
  ): Promise<{ exit: number | null; code: string; message: string }>;
  all(): Promise<TaskState[]>;
  /** Brings a task from nothing to APPROVED. */
  approved(task: string, files: Record<string, string>): Promise<void>;
  close(): void;
};

const NAMES = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "gc.auto=0"];

export function taskScene({ remote }: { remote: boolean }): Scene {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "uwf-tasks-")));
  const [repo, bare, home] = [join(dir, "repo"), join(dir, "remote.git"), join(dir, "home")];
  const said = join(dir, "said.log");
  const env = {
    ...{ PATH: process.env.PATH ?? "", HOME: home, USER: "boss" },
    ...{ WORKFLOW_STORAGE_ROOT: join(dir, "root"), GIT_CONFIG_NOSYSTEM: "1" },
  };
  mkdirSync(home);
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync("git", [...NAMES, ...args], { cwd, encoding: "utf8", env, stdio: "pipe" });
  const here = async (cwd: string, args: readonly string[]): Promise<Ran> => {
    const io = { ...fakeIo({ env }), cwd, now: Date.now };
    const code = await runCli(["--json", "task", ...args], io);
    return { code, stdout: io.out(), stderr: io.err() };
  };
  const scene: Scene = {
    ...{ dir, repo, shared: remote ? bare : repo, git },
    worktree: (task) => join(repo, "worktrees", task),
    write(cwd, files) {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(cwd, path)), { recursive: true });
        writeFileSync(join(cwd, path), text);
      }
    },
    commit(cwd, files, message = "work") {
      scene.write(cwd, files);
      git(cwd, "add", "-A");
      git(cwd, "commit", "-q", "-m", message);
    },
    task: (cwd, args, more = {}) => runIn(cwd, ["task", ...args], { ...env, ...more }),
    start(cwd, args, words = ["task"]) {
      const log = openSync(said, "a");
      const how: SpawnOptions = { cwd, env, stdio: ["ignore", log, log] };
      const started = spawn(process.execPath, [BIN, ...words, ...args], how);
      closeSync(log);
      return started;
    },
    said: () => (existsSync(said) ? readFileSync(said, "utf8") : ""),
    cli: (args) => runIn(repo, args, env),
    async does(cwd, ...args) {
      const ran = await here(cwd, args);
      if (ran.code !== 0) throw new Error(`${args.join(" ")}: ${ran.code} ${ran.stderr}`);
      const { task }: { task: TaskState } = JSON.parse(ran.stdout);
      return task;
    },
    async fails(cwd, ...args) {
      const ran = await here(cwd, args);
      if (ran.code === 0) throw new Error(`${args.join(" ")}: ${ran.stdout}`);
      const { error }: { error: { code: string; message: string } } = JSON.parse(
        ran.stderr.slice(ran.stderr.indexOf('{"error"')),
      );
      return { exit: ran.code, ...error };
    },
    async all() {
      const ran = await here(repo, ["status"]);
      const { tasks }: { tasks: TaskState[] } = JSON.parse(ran.stdout);
      return tasks;
    },
    async approved(task, files) {
      await scene.does(repo, "spawn", task);
      await scene.does(scene.worktree(task), "start");
      scene.commit(scene.worktree(task), files);
      await scene.does(scene.worktree(task), "done");
      await scene.does(repo, "approve", "--task", task);
    },
    close: () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }),
  };
  if (remote) git(dir, "init", "-q", "--bare", "-b", "main", bare);
  git(dir, "init", "-q", "-b", "main", repo);
  scene.commit(repo, { "a.txt": "one\n", "check.sh": CHECK }, "first");
  if (remote) {
    git(repo, "remote", "add", "origin", bare);
    git(repo, "push", "-q", "origin", "main");
  }
  return scene;
}

/** Green unless two parts that cannot be together are there, or one that is broken. */
const CHECK = `#!/bin/sh
if ls parts/*.broken >/dev/null 2>&1; then echo "broken: $(ls parts/*.broken)"; exit 1; fi
`;

function runIn(cwd: string, args: readonly string[], env: Record<string, string>): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
    });
  child.once("close", (code) => resolve({ code, ...said }));
  return promise;
}

export function context(worktree: string): { token: string; attempt: number } {
  return JSON.parse(readFileSync(join(worktree, ".worker-ctx.json"), "utf8"));
}
