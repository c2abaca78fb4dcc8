/** Commands that stay until they are ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { BIN, type Cli } from "./cli.test.helper.ts";

export type Staying = {
  /** Starts a command; resolves with its first document. */
  start<T>(
    args: readonly string[],
    env?: Record<string, string>,
  ): Promise<{ child: ChildProcess; first: T; lines: AsyncIterator<string> }>;
  /** Ends all of them. */
  end(): Promise<void>;
};

export function staying(cli: Pick<Cli, "dir" | "root">): Staying {
  const running: ChildProcess[] = [];
  return {
    async start(args, env = {}) {
      const child = spawn(process.execPath, [BIN, "--json", ...args], {
        cwd: cli.dir,
        stdio: ["ignore", "pipe", "inherit"],
        env: { PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: cli.root, ...env },
      });
      running.push(child);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const { value } = await lines.next();
      return { child, first: JSON.parse(value ?? "null"), lines };
    },
    async end() {
      for (const child of running.splice(0)) await ended(child, "SIGTERM");
    },
  };
}

export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}
