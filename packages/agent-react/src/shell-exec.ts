import { type CliRun, captureOutput, spawnCli, textEmitter } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import { type Tool, type ToolOutcome, type ToolScope, toolOf } from "./tool.ts";

/** Linux takes no longer argument (`MAX_ARG_STRLEN`). */
const MOST_COMMAND_BYTES = 131_071;
const MOST_OUTPUT_BYTES = 32 * 1024;
const MOST_LINE_CHARS = 16 * 1024;
const USUAL_TIMEOUT_MS = 120_000;

export const shellExecTool: Tool = toolOf({
  name: "shell_exec",
  kind: "execute",
  description: `Runs a command line with sh in the working directory and returns its exit code and output, ${MOST_OUTPUT_BYTES} bytes of it at most. Its stdin is empty. What it leaves running is ended.`,
  arguments: z.object({
    command: z.string().min(1),
    timeout_ms: z.int().positive().optional().describe(`default ${USUAL_TIMEOUT_MS}`),
  }),
  async plan({ command, timeout_ms: askedMs = USUAL_TIMEOUT_MS }, scope) {
    if (Buffer.byteLength(command) > MOST_COMMAND_BYTES) {
      throw new Error("the command is too long; write it into a file first");
    }
    return { subject: command, run: () => shell(command, askedMs, scope) };
  },
});

async function shell(command: string, askedMs: number, scope: ToolScope): Promise<ToolOutcome> {
  const { cwd, env, isolation, processTag, signal, limits, emit, shellTimeoutMs } = scope;
  const transcript = captureOutput(MOST_OUTPUT_BYTES);
  const live = textEmitter(emit);
  const timeoutMs = Math.min(askedMs, shellTimeoutMs, limits.timeoutMs ?? Number.POSITIVE_INFINITY);
  const run = await spawnCli("sh", ["-c", command], {
    cwd,
    env,
    hostEnv: {},
    tag: processTag,
    isolation,
    signal,
    timeoutMs,
    maxOutputBytes: 1024,
    maxLineChars: MOST_LINE_CHARS,
    onLine: (line) => {
      transcript.push(Buffer.from(`${line.text}\n`));
      live.line(line);
    },
  }).finally(live.close);
  if (!run.ok) throw new Error(run.error.message);
  const { exitCode } = run.value;
  const output = transcript.result().text;
  return { output: `${ending(run.value, timeoutMs)}\n${output}`, ok: exitCode === 0, exitCode };
}

function ending({ stoppedBy, exitCode, signal, leftovers }: CliRun, timeoutMs: number): string {
  const left = leftovers > 0 ? `; ${leftovers} processes that it left running were ended` : "";
  if (stoppedBy === "total")
    return `it did not finish within ${Math.round(timeoutMs)} ms and was ended`;
  if (stoppedBy !== null) return "it was stopped";
  return `${exitCode === null ? `ended by ${signal}` : `exit code ${exitCode}`}${left}`;
}
