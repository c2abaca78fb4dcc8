/** How to talk to scribe, an agent that reads its prompt from stdin and says one JSON object a line. */
import {
  type AgentDriver,
  type AgentStep,
  type CliRun,
  jsonLines,
  lastLines,
  probeProgram,
  spawnCli,
  type TurnResult,
} from "@uncaged/workflow-util-agent";
import { type ScribeEvent, scribeEvent } from "./scribe-event.ts";

export type ScribeConfig = {
  /** The program: its name on `PATH`, or its path. Default `scribe`. */
  command?: string | undefined;
};

export function scribeDriver({ command = "scribe" }: ScribeConfig): AgentDriver {
  return {
    name: "scribe",
    passEnv: ["SCRIBE_API_KEY"],
    // It asks nobody before it uses a tool, so a role with a tool policy must not be played by it.
    can: { evidence: true, policy: false, resume: true },
    // Its sessions; all else in its folder goes before each step.
    keeps: ["*.txt"],
    async probe({ env }) {
      const found = await probeProgram([command], env);
      const about = { login: "unknown", features: ["json"] } as const;
      if (found !== null) return { ...about, ...found, installed: true, fix: null };
      const fix = "install it: npm install -g workflow-agent-scribe";
      return { ...about, path: null, version: null, installed: false, fix };
    },
    async open(step) {
      let session = step.session;
      return {
        async turn(prompt) {
          const result = await runTurn(command, { step, session, prompt });
          session = result.session;
          return result;
        },
        // Each turn has a process of its own, which ends with the turn.
        close: async () => {},
      };
    },
  };
}

async function runTurn(
  command: string,
  { step, session, prompt }: { step: AgentStep; session: string | null; prompt: string },
): Promise<TurnResult> {
  const heard: TurnResult = {
    outcome: "ok",
    reason: "",
    sessionLost: false,
    session,
    text: "",
    structured: undefined,
    usage: null,
    rawUsage: null,
    denials: 0,
  };
  const { line } = jsonLines((object) => {
    const event = scribeEvent(object);
    if (event !== null) take(event, heard, step);
  });
  const run = await spawnCli(command, session === null ? [] : ["--resume", session], {
    cwd: step.cwd,
    tag: step.processTag,
    env: { ...step.env, SCRIBE_HOME: step.home },
    stdin: prompt,
    signal: step.signal,
    timeoutMs: step.limits.timeoutMs ?? undefined,
    idleTimeoutMs: step.limits.idleTimeoutMs,
    onLine: line,
  });
  if (!run.ok) return { ...heard, outcome: "crashed", reason: run.error.message };
  return { ...heard, ...judged(run.value) };
}

/** What an event means: for who watches, for the evidence, for the result. */
function take(event: ScribeEvent, heard: TurnResult, step: AgentStep): void {
  switch (event.type) {
    case "session":
      heard.session = event.id;
      return;
    case "text":
      heard.text = event.text;
      step.emit({ type: "text", text: `${event.text}\n` });
      return;
    case "tool": {
      const { id, name, command, output, exitCode } = event;
      const ok = exitCode === 0;
      step.emit({ type: "tool", phase: "start", id, name, input: { command } });
      step.emit({ type: "tool", phase: "end", id, name, ok });
      step.seen({
        id,
        name,
        kind: "execute",
        subject: command,
        input: { command },
        output,
        ok,
        exitCode,
        durationMs: null,
        timestamp: Date.now(),
      });
      return;
    }
    case "usage": {
      const { inputTokens, outputTokens } = event;
      heard.usage = { inputTokens, outputTokens, cachedInputTokens: 0, costUsd: null };
      heard.rawUsage = { inputTokens, outputTokens };
      step.emit({ type: "usage", usage: heard.usage });
    }
  }
}

/** How the program ended. That it exited with 0 says only that it came to its end: its answer is judged by
 *  `createAgent`. */
function judged(run: CliRun): Pick<TurnResult, "outcome" | "reason" | "sessionLost"> {
  const reason = lastLines(run.stderr.text) || `exit code ${run.exitCode}`;
  if (run.stoppedBy === "abort") return { outcome: "cancelled", reason, sessionLost: false };
  if (run.stoppedBy !== null) return { outcome: "timeout", reason, sessionLost: false };
  if (run.exitCode === 0) return { outcome: "ok", reason: "", sessionLost: false };
  if (run.exitCode === 3) return { outcome: "crashed", reason, sessionLost: true };
  return { outcome: run.exitCode === 75 ? "rate_limited" : "crashed", reason, sessionLost: false };
}
