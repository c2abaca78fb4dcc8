import {
  type AgentConversation,
  type AgentStep,
  EMPTY_TURN,
  programConversation,
  runTurn,
  type TurnResult,
  turnHalt,
} from "@uncaged/workflow-util-agent";
import type { CursorConfig } from "./cursor-config.ts";
import { type HaltReason, judgeTurn } from "./judge-turn.ts";
import { INSTALL_HINT } from "./probe-cursor.ts";
import { turnReader } from "./turn-reader.ts";

export type CursorSetting = {
  config: CursorConfig;
  program: string;
  /** Milliseconds that it may take to exit after its result. */
  lingerMs: number;
};

/** One process per turn; the chat is Cursor's own. */
export function openCursor(setting: CursorSetting, step: AgentStep): AgentConversation {
  return programConversation(step, (prompt, { session }) =>
    takeTurn(setting, { step, session }, prompt),
  );
}

/** The command line of one turn; the prompt goes through stdin. */
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

async function takeTurn(
  { config, program, lingerMs }: CursorSetting,
  { step, session }: { step: AgentStep; session: string | null },
  prompt: string,
): Promise<TurnResult> {
  let linger: NodeJS.Timeout | undefined;
  const halt = turnHalt<HaltReason>();
  const reader = turnReader(step, {
    session: (id) => {
      if (session !== null && id !== session) halt.because("other_session");
    },
    result: () => {
      linger ??= setTimeout(halt.because, lingerMs, "lingered");
    },
  });
  const run = await runTurn(step, {
    command: program,
    args: cursorArguments(config, { cwd: step.cwd, session }),
    env: step.env,
    prompt,
    stdout: "events",
    onLine: reader.onLine,
    halt: halt.signal,
    installHint: INSTALL_HINT,
  });
  clearTimeout(linger);
  const log = reader.log();
  const verdict = judgeTurn(run, { log, halted: halt.reason(), resumed: session !== null });
  return {
    ...EMPTY_TURN,
    ...verdict,
    session: verdict.sessionLost ? null : (log.session ?? session),
    text: log.text === "" ? (log.result?.text ?? "") : log.text,
    denials: log.denials,
  };
}
