import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentError, type JsonValue } from "@uncaged/workflow-protocol";
import {
  type AgentConversation,
  type AgentStep,
  spawnCli,
  type TurnResult,
} from "@uncaged/workflow-util-agent";
import { codexArguments } from "./codex-arguments.ts";
import type { CodexConfig } from "./codex-config.ts";
import { codexUsage } from "./codex-event.ts";
import { type CodexSandbox, codexSandbox } from "./codex-sandbox.ts";
import { judgeTurn } from "./judge-turn.ts";
import { prepareHome } from "./prepare-home.ts";
import { INSTALL_HINT } from "./probe-codex.ts";
import { type Rollout, rollout, sessionsIn } from "./rollout.ts";
import { strictSchema } from "./strict-schema.ts";
import { type HaltReason, type TurnLog, turnReader } from "./turn-reader.ts";
import { usageDelta } from "./usage-delta.ts";

/** A process a turn; the session is Codex's own, on disk. */
export async function openCodex(config: CodexConfig, step: AgentStep): Promise<AgentConversation> {
  const sandbox = codexSandbox(config, step.policy);
  if (!sandbox.ok) {
    throw agentError("denied", {
      message: `the role's \`tools\` cannot be enforced: ${sandbox.error}`,
      hint: "change the policy, or bind the role to another agent",
      run: null,
    });
  }
  const isPrivate = config.config !== "user";
  if (isPrivate) await prepareHome(step.home, step.env);
  const setting: Setting = {
    config,
    step,
    sandbox: sandbox.value,
    rollout: rollout(sessionsIn(isPrivate ? step.home : null, step.env)),
    schemaFile: await schemaFile(step),
    env: isPrivate ? { ...step.env, CODEX_HOME: step.home } : step.env,
  };
  let state: SessionState = { session: step.session, raw: step.previousRawUsage, turns: 0 };
  return {
    async turn(prompt) {
      const result = await takeTurn(setting, state, prompt);
      state = { session: result.session, raw: result.rawUsage, turns: state.turns + 1 };
      return result;
    },
    // Each turn ended its own processes.
    close: async () => {},
  };
}

type Setting = {
  config: CodexConfig;
  step: AgentStep;
  sandbox: CodexSandbox;
  rollout: Rollout;
  schemaFile: string | null;
  env: Readonly<Record<string, string>>;
};

type SessionState = { session: string | null; raw: JsonValue | null; turns: number };

/** One command may print this much into one line of ours. */
const MAX_LINE_CHARS = 16 * 1024 * 1024;

async function takeTurn(
  { config, step, sandbox, rollout: told, schemaFile, env }: Setting,
  state: SessionState,
  prompt: string,
): Promise<TurnResult> {
  if (state.session !== null && !THREAD_ID.test(state.session)) {
    // Codex takes anything else for a name, and begins a new session under it without a word.
    const reason = "the session to go on with is none of Codex's";
    return {
      ...NOTHING,
      session: null,
      rawUsage: null,
      outcome: "crashed",
      reason,
      sessionLost: true,
    };
  }
  let halted: HaltReason | null = null;
  const halting = new AbortController();
  const reader = turnReader({
    step,
    sandbox,
    expected: state.session,
    prefix: `${state.turns + 1}.`,
    directoryOf: told.directoryOf,
    halt: (reason) => {
      halted ??= reason;
      halting.abort();
    },
  });
  // What was told before this turn is not of it.
  if (state.turns === 0) await told.skip(state.session);
  const { timeoutMs, idleTimeoutMs } = step.limits;
  const run = await spawnCli(
    config.command ?? "codex",
    codexArguments(config, { cwd: step.cwd, sandbox, schemaFile, thread: state.session }),
    {
      cwd: step.cwd,
      mark: step.runMark,
      hostEnv: {},
      env,
      stdin: prompt,
      signal: AbortSignal.any([step.signal, halting.signal]),
      idleTimeoutMs,
      timeoutMs: timeoutMs ?? undefined,
      maxLineChars: MAX_LINE_CHARS,
      redact: { redactor: step.redact, streams: "stderr" },
      onLine: reader.onLine,
      installHint: INSTALL_HINT,
    },
  );
  const log = reader.log();
  const verdict = judgeTurn(run, { log, halted });
  return {
    ...NOTHING,
    ...verdict,
    ...counted(log, state, step),
    session: verdict.sessionLost ? null : log.thread,
    text: log.text,
    denials: log.denials,
  };
}

const THREAD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const NOTHING = { text: "", structured: undefined, usage: null, denials: 0 };

/** A turn that failed has no counters: what it used shows in the next one of the thread. */
function counted(
  { end }: TurnLog,
  { raw }: SessionState,
  { emit }: Pick<AgentStep, "emit">,
): Pick<TurnResult, "usage" | "rawUsage"> {
  if (end === null) return { usage: null, rawUsage: raw };
  const usage = usageDelta(end.usage, codexUsage(raw));
  emit({ type: "usage", usage });
  return { usage, rawUsage: end.raw };
}

/** Null: the schema says more than Codex's model could be held to. */
async function schemaFile({ home, outputSchema }: AgentStep): Promise<string | null> {
  const schema = strictSchema(outputSchema);
  if (schema === null) return null;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const file = join(home, "output-schema.json");
  await writeFile(file, JSON.stringify(schema));
  return file;
}
