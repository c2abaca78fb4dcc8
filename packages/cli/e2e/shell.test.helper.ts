/** A shell with the built command installed as users have it. */
import { spawn } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../bin/", import.meta.url));

export type Shell = {
  /** Folder that holds `uncaged-workflow` and `uwf`. */
  bin: string;
  /** Runs a script in bash, which ends at the first command that fails. */
  run(script: string, env?: Record<string, string>): Promise<ShellRun>;
};

export type ShellRun = { code: number | null; stdout: string; stderr: string };

/** `dir` is where scripts run, and their home. */
export function openShell({ dir, root }: { dir: string; root: string }): Shell {
  const bin = join(dir, "bin");
  linkCommand(bin);
  const path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  return {
    bin,
    run: (script, env = {}) =>
      runBash(script, {
        cwd: dir,
        env: { PATH: path, HOME: dir, WORKFLOW_STORAGE_ROOT: root, ...env },
      }),
  };
}

/** Puts both names of the built command into a folder. */
export function linkCommand(bin: string): void {
  mkdirSync(bin, { recursive: true });
  symlinkSync(join(BIN, "uncaged-workflow.mjs"), join(bin, "uncaged-workflow"));
  symlinkSync(join(BIN, "uwf.mjs"), join(bin, "uwf"));
}

export function runBash(
  script: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<ShellRun> {
  const { promise, resolve, reject } = Promise.withResolvers<ShellRun>();
  const child = spawn("bash", ["-e", "-u", "-o", "pipefail", "-c", script], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.on("error", reject);
  child.on("close", (code) => resolve({ code, stdout, stderr }));
  return promise;
}

/** The shell commands in a Markdown text, in order. */
export function shownCommands(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
}
