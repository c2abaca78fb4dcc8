import {
  type AgentConversation,
  type AgentStep,
  type CliRun,
  EMPTY_TURN,
  endedTurn,
  failedRun,
  faultInWords,
  lastLines,
  lostSession,
  programConversation,
  runTurn,
  type TurnResult,
  type TurnVerdict,
  timedOutTurn,
} from "@uncaged/workflow-util-agent";
import type { HermesConfig } from "./hermes-config.ts";
import { hermesAnswer, hermesSession, sessionGone } from "./hermes-output.ts";
import { prepareHome } from "./prepare-home.ts";
import { INSTALL_HINT } from "./probe-hermes.ts";

/** One process per turn; the session is Hermes's own. */
export async function openHermes(
  config: HermesConfig,
  step: AgentStep,
): Promise<AgentConversation> {
  const isPrivate = config.config !== "user";
  if (isPrivate) await prepareHome(step.home, step.env);
  const env = isPrivate ? { ...step.env, HERMES_HOME: step.home } : step.env;
  return programConversation(step, (prompt, { session }) =>
    takeTurn(config, { step, session, env }, prompt),
  );
}

/** The command line of one turn; the prompt goes through stdin. */
function hermesArguments(
  { model, maxTurns = 90 }: Pick<HermesConfig, "model" | "maxTurns">,
  session: string | null,
): string[] {
  return [
    "chat",
    "-Q",
    ...["--query-file", "-"],
    "--yolo",
    ...["--max-turns", String(maxTurns)],
    ...(model === undefined ? [] : ["--model", model]),
    ...(session === null ? [] : ["--resume", session]),
  ];
}

type Turn = {
  step: AgentStep;
  session: string | null;
  env: Readonly<Record<string, string>>;
};

async function takeTurn(
  config: HermesConfig,
  { step, session, env }: Turn,
  prompt: string,
): Promise<TurnResult> {
  const run = await runTurn(step, {
    command: config.command ?? "hermes",
    args: hermesArguments(config, session),
    env,
    prompt,
    stdout: "text",
    onLine: ({ stream, text }) => {
      if (stream === "stdout") step.emit({ type: "text", text: `${text}\n` });
    },
    installHint: INSTALL_HINT,
  });
  const verdict = run.ok ? judgeTurn(run.value, session !== null) : failedRun(run.error);
  const printed = run.ok
    ? { stdout: run.value.stdout.text, stderr: run.value.stderr.text }
    : { stdout: "", stderr: "" };
  return {
    ...EMPTY_TURN,
    ...verdict,
    session: verdict.sessionLost ? null : (hermesSession(printed) ?? session),
    text: hermesAnswer(printed.stdout),
  };
}

/** How a turn ended. Hermes exits with 0 for an answer and with 1 for none. */
function judgeTurn(run: CliRun, resumed: boolean): TurnVerdict {
  const { stoppedBy, exitCode, stdout, stderr } = run;
  const words = lastLines(stderr.text) || lastLines(stdout.text) || "it did not say why";
  if (stoppedBy === "abort") return endedTurn("cancelled", "it was stopped");
  const timedOut = timedOutTurn(run, words);
  if (timedOut !== null) return timedOut;
  if (resumed && sessionGone({ stdout: stdout.text, stderr: stderr.text })) {
    return lostSession(words);
  }
  if (exitCode !== 0) return endedTurn(faultInWords(words), `${words} (exit code ${exitCode})`);
  if (hermesAnswer(stdout.text) === "") return endedTurn("crashed", "it gave no answer");
  return endedTurn("ok", "");
}
