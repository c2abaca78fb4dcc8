import type { Failure, Result } from "@uncaged/workflow-protocol";
import {
  type AgentConversation,
  type AgentStep,
  type CliRun,
  faultInWords,
  lastLines,
  type OutputLine,
  spawnCli,
  type TurnResult,
} from "@uncaged/workflow-util-agent";
import type { HermesConfig } from "./hermes-config.ts";
import { hermesAnswer, hermesSession, sessionGone } from "./hermes-output.ts";
import { prepareHome } from "./prepare-home.ts";
import { INSTALL_HINT } from "./probe-hermes.ts";

/** A process a turn; the session is Hermes's own. */
export async function openHermes(
  config: HermesConfig,
  step: AgentStep,
): Promise<AgentConversation> {
  const isPrivate = config.config !== "user";
  if (isPrivate) await prepareHome(step.home, step.env);
  const env = isPrivate ? { ...step.env, HERMES_HOME: step.home } : step.env;
  let session = step.session;
  return {
    async turn(prompt) {
      const result = await takeTurn(config, { step, session, env }, prompt);
      session = result.session;
      return result;
    },
    // Each turn ended its own processes.
    close: async () => {},
  };
}

/** The command line of one turn; the prompt comes by stdin. */
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
  const { timeoutMs, idleTimeoutMs } = step.limits;
  const run = await spawnCli(config.command ?? "hermes", hermesArguments(config, session), {
    cwd: step.cwd,
    mark: step.runMark,
    hostEnv: {},
    env,
    stdin: prompt,
    signal: step.signal,
    idleTimeoutMs,
    timeoutMs: timeoutMs ?? undefined,
    redact: { redactor: step.redact, streams: "both" },
    onLine: ({ stream, text }: OutputLine) => {
      if (stream === "stdout") step.emit({ type: "text", text: `${text}\n` });
    },
    installHint: INSTALL_HINT,
  });
  const verdict = judgeTurn(run, session !== null);
  const printed = run.ok
    ? { stdout: run.value.stdout.text, stderr: run.value.stderr.text }
    : { stdout: "", stderr: "" };
  return {
    ...verdict,
    session: verdict.sessionLost ? null : (hermesSession(printed) ?? session),
    text: hermesAnswer(printed.stdout),
    structured: undefined,
    usage: null,
    rawUsage: null,
    denials: 0,
  };
}

/** How a turn ended. Hermes exits with 0 for an answer and with 1 for none. */
function judgeTurn(
  run: Result<CliRun, Failure>,
  resumed: boolean,
): Pick<TurnResult, "outcome" | "reason" | "sessionLost"> {
  const ended = (
    outcome: TurnResult["outcome"],
    reason: string,
  ): Pick<TurnResult, "outcome" | "reason" | "sessionLost"> => ({
    outcome,
    reason,
    sessionLost: false,
  });
  if (!run.ok) {
    const outcome = run.error.code === "THREAD_ABORTED" ? "cancelled" : "crashed";
    return ended(outcome, [run.error.message, run.error.hint].filter(Boolean).join("; "));
  }
  const { stoppedBy, exitCode, stdout, stderr } = run.value;
  const words = lastLines(stderr.text) || lastLines(stdout.text) || "it said nothing of why";
  if (stoppedBy === "abort") return ended("cancelled", "it was stopped");
  if (stoppedBy === "idle") return ended("timeout", `it fell silent; ${words}`);
  if (stoppedBy === "total") return ended("timeout", `its time was over; ${words}`);
  if (resumed && sessionGone({ stdout: stdout.text, stderr: stderr.text })) {
    return { outcome: "crashed", reason: words, sessionLost: true };
  }
  if (exitCode !== 0) return ended(faultInWords(words), `${words} (exit code ${exitCode})`);
  if (hermesAnswer(stdout.text) === "") return ended("crashed", "it gave no answer");
  return ended("ok", "");
}
