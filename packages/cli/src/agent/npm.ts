/** Runs the person's npm: without a shell, and without packages' scripts. */
import { randomUUID } from "node:crypto";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { spawnCli } from "@uncaged/workflow-util-agent";
import type { Io } from "../command/io.ts";
import { withProgress } from "../command/with-progress.ts";

export type NpmCall = {
  folder: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** Shows that npm is at work. */
  io: Pick<Io, "stderr" | "now">;
};

/** Fetching a large package over a slow line takes minutes. */
const WITHIN_MS = 15 * 60_000;

/** Returns npm's output. `INSTALL_FAILED` with its last words. User input goes after `--`. */
export async function npm(
  args: readonly string[],
  { folder, env, signal, io }: NpmCall,
): Promise<Result<string, Failure>> {
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"];
  const [verb = "", ...rest] = args;
  const run = await withProgress(io, `npm ${verb}`, () =>
    spawnCli("npm", [verb, "--prefix", folder, ...flags, ...rest], {
      cwd: folder,
      tag: `npm:${randomUUID()}`,
      hostEnv: env,
      inheritEnv: "all",
      signal,
      timeoutMs: WITHIN_MS,
      installHint: "install Node.js with npm, or put npm on PATH",
    }),
  );
  if (!run.ok) {
    const { code, message, hint } = run.error;
    return err(code === "AGENT_FAILED" ? failure("INSTALL_FAILED", message, hint) : run.error);
  }
  const { exitCode, stoppedBy, stdout, stderr } = run.value;
  if (exitCode === 0 && stoppedBy === null) return ok(stdout.text);
  const why = stoppedBy === null ? lastWords(stderr.text) : `it was stopped (${stoppedBy})`;
  return err(failure("INSTALL_FAILED", `npm ${verb} failed: ${why}`, HINT));
}

const HINT =
  "nothing was changed; check the name, and npm's own settings: registry, proxy, certificates";

/** The lines that say something, without the prefix that npm puts before each. */
function lastWords(stderr: string): string {
  const lines = stderr.split("\n").flatMap((line) => {
    const [, said = ""] = /^npm (?:error|ERR!) (?:\d{3} |enoent )?(.*)$/.exec(line) ?? [];
    return /^(?:\d{3}|code|syscall|path|dest|errno|enoent|A complete log|\/\S*\.log)\b|^\s*$/.test(
      said,
    )
      ? []
      : [said.trim()];
  });
  return lines.length === 0 ? stderr.trim().slice(-500) : lines.slice(0, 3).join("; ");
}
