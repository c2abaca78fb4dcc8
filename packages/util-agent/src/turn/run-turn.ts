import type { Failure, Result } from "@uncaged/workflow-protocol";
import type { AgentStep } from "../driver/agent-driver.ts";
import type { CliRun } from "../process/cli-run.ts";
import type { OutputLine } from "../process/line-reader.ts";
import { spawnCli } from "../process/spawn-cli.ts";

/** The program of one turn. */
export type TurnProgram = {
  command: string;
  args: readonly string[];
  /** All that it sees of an environment. */
  env: Readonly<Record<string, string>>;
  /** Comes by stdin: as an argument it would be cut short, and show in `ps`. */
  prompt: string;
  /** `events`: a line each, which are understood before secrets are taken out of what they say. */
  stdout: "events" | "text";
  onLine: (line: OutputLine) => void | Promise<void>;
  /** Ends the turn, besides the step's own signal. */
  halt?: AbortSignal;
  /** What to do when the program is not installed. */
  installHint: string;
};

/** Runs the program to its end, within the limits of the step. */
export function runTurn(
  step: Pick<AgentStep, "cwd" | "isolation" | "limits" | "redact" | "processTag" | "signal">,
  program: TurnProgram,
): Promise<Result<CliRun, Failure>> {
  const { command, args, env, prompt, stdout, onLine, halt, installHint } = program;
  const { timeoutMs, idleTimeoutMs } = step.limits;
  return spawnCli(command, args, {
    cwd: step.cwd,
    tag: step.processTag,
    isolation: step.isolation,
    hostEnv: {},
    env,
    stdin: prompt,
    signal: halt === undefined ? step.signal : AbortSignal.any([step.signal, halt]),
    idleTimeoutMs,
    timeoutMs: timeoutMs ?? undefined,
    maxLineChars: stdout === "events" ? MAX_EVENT_CHARS : undefined,
    redact: { redactor: step.redact, streams: stdout === "events" ? "stderr" : "both" },
    onLine,
    installHint,
  });
}

/** What a command printed, or a file that was read, comes in one event. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024;
