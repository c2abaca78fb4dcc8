/** A host in a separate process that a test may kill. */
import { type ChildProcess, spawn } from "node:child_process";
import { BIN, type Cli } from "./cli.test.helper.ts";

export type Hosted = {
  /** Starts a host and waits until it is up. Returns its pid. */
  up(): Promise<number>;
  /** SIGKILL, for the host alone. Returns once it is gone. */
  kill(): Promise<void>;
};

export function hosted(cli: Cli): Hosted {
  let host: ChildProcess | null = null;
  return {
    async up() {
      const child = spawn(process.execPath, [BIN, "--json", "up"], {
        cwd: cli.dir,
        stdio: ["ignore", "pipe", "ignore"],
        env: { PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: cli.root },
      });
      host = child;
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      child.stdout.once("data", (chunk: Buffer) => {
        const { pid }: { pid: number } = JSON.parse(chunk.toString());
        resolve(pid);
      });
      child.once("exit", (code) => reject(new Error(`the host ended with code ${code}`)));
      return promise;
    },
    async kill() {
      const gone = new Promise((resolve) => host?.once("exit", resolve));
      host?.kill("SIGKILL");
      await gone;
    },
  };
}
