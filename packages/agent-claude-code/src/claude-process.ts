import { setTimeout as sleep } from "node:timers/promises";
import { type Failure, type JsonObject, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type AgentStep,
  type CliRun,
  jsonLines,
  type OpenCli,
  openCli,
} from "@uncaged/workflow-util-agent";
import type { ClaudeCodeConfig } from "./claude-code-config.ts";
import { initializeRequest, interruptRequest } from "./control-request.ts";
import { prepareRun } from "./prepare-run.ts";
import { parseStreamMessage, type StreamMessage } from "./stream-message.ts";

/** A running Claude Code that waits for input. */
export type ClaudeProcess = {
  /** Writes one line. Never rejects; a process that is gone gets nothing. */
  say(message: JsonObject): Promise<boolean>;
  /** From now on its silence does not count, until the returned function is called. */
  rest(): () => void;
  alive(): boolean;
  stoppedBy: OpenCli["stoppedBy"];
  /** How it ended, and its output that was not a message. Never rejects. */
  ended: Promise<ProcessEnd>;
  interrupt(): Promise<boolean>;
  /** Ends it, and everything it started. */
  stop(): Promise<void>;
  /** Lets it end by itself, for up to half a minute, in which it writes its session; then `stop`. */
  quit(): Promise<void>;
};

export type ProcessEnd = { run: Result<CliRun, Failure>; noise: readonly string[] };

/** An image that the agent looked at is a single line. */
const MAX_LINE_CHARS = 32 * 1024 * 1024;
const KEPT_OUTPUT_BYTES = 64 * 1024;
const EXIT_MS = 30_000;

/** `onMessage` must not throw. */
export async function startClaude(
  step: AgentStep,
  config: ClaudeCodeConfig,
  onMessage: (message: StreamMessage) => void,
): Promise<Result<ClaudeProcess, Failure>> {
  const { args, env } = await prepareRun(step, config);
  const lines = jsonLines((object) => {
    const message = parseStreamMessage(object);
    if (message !== null) onMessage(message);
  });
  const opened = await openCli(config.command ?? "claude", args, {
    cwd: step.cwd,
    tag: step.processTag,
    isolation: step.isolation,
    hostEnv: {},
    env,
    idleTimeoutMs: step.limits.idleTimeoutMs,
    timeoutMs: step.limits.timeoutMs ?? undefined,
    maxLineChars: MAX_LINE_CHARS,
    maxOutputBytes: KEPT_OUTPUT_BYTES,
    redact: { redactor: step.redact, streams: "stderr" },
    onLine: lines.line,
    installHint: "install it: npm install -g @anthropic-ai/claude-code",
  });
  return opened.ok ? ok(claudeProcess(opened.value, () => lines.noise().latest)) : opened;
}

function claudeProcess(cli: OpenCli, noise: () => readonly string[]): ClaudeProcess {
  let alive = true;
  const ended = cli.ended.then((run) => {
    alive = false;
    return { run, noise: noise() };
  });
  const say = (message: JsonObject): Promise<boolean> => cli.write(`${JSON.stringify(message)}\n`);
  void say(initializeRequest());
  return {
    say,
    rest: cli.rest,
    alive: () => alive,
    stoppedBy: cli.stoppedBy,
    ended,
    interrupt: () => say(interruptRequest()),
    stop: cli.stop,
    quit: async () => {
      cli.closeInput();
      await Promise.race([ended, sleep(EXIT_MS, null, { ref: false })]);
      await cli.stop();
    },
  };
}
