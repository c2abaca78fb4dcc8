import {
  type AgentConversation,
  type AgentStep,
  spawnCli,
  type TurnResult,
} from "@uncaged/workflow-util-agent";
import type { CursorConfig } from "./cursor-config.ts";
import { type HaltReason, judgeTurn } from "./judge-turn.ts";
import { INSTALL_HINT } from "./probe-cursor.ts";
import { turnReader } from "./turn-reader.ts";

export type CursorSetting = {
  config: CursorConfig;
  program: string;
  /** Milliseconds between its result and its exit that are left to it. */
  lingerMs: number;
};

/** A process a turn; the chat is Cursor's own. */
export function openCursor(setting: CursorSetting, step: AgentStep): AgentConversation {
  let session = step.session;
  return {
    async turn(prompt) {
      const result = await takeTurn(setting, { step, session }, prompt);
      session = result.session;
      return result;
    },
    // Each turn ended its own processes.
    close: async () => {},
  };
}

/** The command line of one turn; the prompt comes by stdin. */
function cursorArguments(
  { model }: Pick<CursorConfig, "model">,
  { cwd, session }: { cwd: string; session: string | null },
): string[] {
  return [
    "-p",
    ...["--output-format", "stream-json"],
    "--force",
    "--trust",
    ...["--workspace", cwd],
    ...(model === undefined ? [] : ["--model", model]),
    ...(session === null ? [] : ["--resume", session]),
  ];
}

/** A file that was read may come back in one line. */
const MAX_LINE_CHARS = 16 * 1024 * 1024;

async function takeTurn(
  { config, program, lingerMs }: CursorSetting,
  { step, session }: { step: AgentStep; session: string | null },
  prompt: string,
): Promise<TurnResult> {
  let halted: HaltReason | null = null;
  let linger: NodeJS.Timeout | undefined;
  const halting = new AbortController();
  const halt = (reason: HaltReason): void => {
    halted ??= reason;
    halting.abort();
  };
  const reader = turnReader(step, {
    session: (id) => {
      if (session !== null && id !== session) halt("other_session");
    },
    result: () => {
      linger ??= setTimeout(halt, lingerMs, "lingered");
    },
  });
  const { timeoutMs, idleTimeoutMs } = step.limits;
  const run = await spawnCli(program, cursorArguments(config, { cwd: step.cwd, session }), {
    cwd: step.cwd,
    mark: step.runMark,
    hostEnv: {},
    env: step.env,
    stdin: prompt,
    signal: AbortSignal.any([step.signal, halting.signal]),
    idleTimeoutMs,
    timeoutMs: timeoutMs ?? undefined,
    maxLineChars: MAX_LINE_CHARS,
    redact: { redactor: step.redact, streams: "stderr" },
    onLine: reader.onLine,
    installHint: INSTALL_HINT,
  });
  clearTimeout(linger);
  const log = reader.log();
  const verdict = judgeTurn(run, { log, halted, resumed: session !== null });
  return {
    ...verdict,
    session: verdict.sessionLost ? null : (log.session ?? session),
    text: log.text === "" ? (log.result?.text ?? "") : log.text,
    structured: undefined,
    usage: null,
    rawUsage: null,
    denials: log.denials,
  };
}
