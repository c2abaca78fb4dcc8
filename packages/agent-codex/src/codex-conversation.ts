import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentError } from "@uncaged/workflow-protocol";
import {
  type AgentConversation,
  type AgentStep,
  EMPTY_TURN,
  lostSession,
  programConversation,
  runTurn,
  type TurnResult,
  type TurnStart,
  turnHalt,
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

/** One process per turn; the session is Codex's own, on disk. */
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
  return programConversation(step, (prompt, start) => takeTurn(setting, start, prompt));
}

type Setting = {
  config: CodexConfig;
  step: AgentStep;
  sandbox: CodexSandbox;
  rollout: Rollout;
  schemaFile: string | null;
  env: Readonly<Record<string, string>>;
};

async function takeTurn(
  { config, step, sandbox, rollout: told, schemaFile, env }: Setting,
  start: TurnStart,
  prompt: string,
): Promise<TurnResult> {
  const { session, turns } = start;
  if (session !== null && !THREAD_ID.test(session)) {
    // Codex takes anything else for a name, and begins a new session under it without a word.
    return { ...EMPTY_TURN, ...lostSession("the session to resume is not one of Codex's") };
  }
  const halt = turnHalt<HaltReason>();
  const reader = turnReader({
    step,
    sandbox,
    expected: session,
    prefix: `${turns + 1}.`,
    directoryOf: told.directoryOf,
    halt: halt.because,
  });
  // What was told before this turn is not of it.
  if (turns === 0) await told.skip(session);
  const { cwd, storageRoot, toolServer } = step;
  const run = await runTurn(step, {
    command: config.command ?? "codex",
    args: codexArguments(config, {
      ...{ cwd, sandbox, storageRoot, schemaFile, toolServer },
      thread: session,
    }),
    env,
    prompt,
    stdout: "events",
    onLine: reader.onLine,
    halt: halt.signal,
    installHint: INSTALL_HINT,
  });
  const log = reader.log();
  const verdict = judgeTurn(run, { log, halted: halt.reason() });
  return {
    ...EMPTY_TURN,
    ...verdict,
    ...counted(log, start, step),
    session: verdict.sessionLost ? null : log.thread,
    text: log.text,
    denials: log.denials,
  };
}

const THREAD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A turn that failed has no counters: what it used shows in the next one of the thread. */
function counted(
  { end }: TurnLog,
  { rawUsage: before }: TurnStart,
  { emit }: Pick<AgentStep, "emit">,
): Pick<TurnResult, "usage" | "rawUsage"> {
  if (end === null) return { usage: null, rawUsage: before };
  const usage = usageDelta(end.usage, codexUsage(before));
  emit({ type: "usage", usage });
  return { usage, rawUsage: end.raw };
}

/** Null: the schema says more than Codex's model could enforce. */
async function schemaFile({ home, outputSchema }: AgentStep): Promise<string | null> {
  const schema = strictSchema(outputSchema);
  if (schema === null) return null;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const file = join(home, "output-schema.json");
  await writeFile(file, JSON.stringify(schema));
  return file;
}
