import type { Readable, Writable } from "node:stream";
import { err, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { startFailure } from "./start-failure.ts";

type CliExit = { exitCode: number | null; signal: NodeJS.Signals | null };

export type StartedCli = {
  pid: number;
  /** Null when it is to read nothing. */
  stdin: Writable | null;
  stdout: Readable;
  stderr: Readable;
  exited: Promise<CliExit>;
};

/** Starts a program as the leader of its own process group and session, with all three streams piped to us. */
export async function startCli(
  command: string,
  args: readonly string[],
  opts: {
    cwd: string;
    env: Readonly<Record<string, string>>;
    stdin: "pipe" | "ignore";
    installHint: string | undefined;
  },
): Promise<Result<StartedCli, Failure>> {
  // Loaded with the first program, because loading it takes twice as long as starting Node.
  const { execa } = await import("execa");
  const child = execa(command, args, {
    cwd: opts.cwd,
    env: opts.env,
    extendEnv: false,
    stdin: opts.stdin,
    stdout: "pipe",
    stderr: "pipe",
    buffer: false,
    reject: false,
    detached: true,
    cleanup: false,
    windowsHide: true,
  });
  const { pid, stdin, stdout, stderr, nodeChildProcess } = child;
  if (pid === undefined) {
    const refused = await child;
    const message = refused.originalMessage ?? refused.message ?? "it did not start";
    return err(startFailure(command, { code: refused.code, message }, opts.installHint));
  }
  const { promise: exited, resolve } = Promise.withResolvers<CliExit>();
  nodeChildProcess.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  return ok({ pid, stdin: opts.stdin === "pipe" ? stdin : null, stdout, stderr, exited });
}
