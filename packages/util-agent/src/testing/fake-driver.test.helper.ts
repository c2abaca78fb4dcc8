import type { AgentProbe, RoleStep, StepRun, ToolCallRecord } from "@uncaged/workflow-protocol";
import type { AgentDriver, AgentStep, TurnResult } from "../driver/agent-driver.ts";

/** One turn of a scripted agent: what it does during the turn, and how the turn ends. */
export type ScriptedTurn = Partial<TurnResult> & {
  during?: (step: AgentStep) => void | Promise<void>;
};

export type FakeDriver = AgentDriver & {
  /** Prompts in the order in which they arrived. */
  readonly prompts: string[];
  /** Steps as they were opened. */
  readonly opened: AgentStep[];
  closed: number;
  probes: number;
};

/** An agent that follows a script; each turn is the next one in the script, whatever the conversation. */
export function fakeDriver(
  script: readonly ScriptedTurn[],
  about: Partial<Pick<AgentDriver, "passEnv" | "can" | "refuses" | "handInTool">> & {
    probe?: Partial<AgentProbe>;
    open?: () => Promise<void>;
  } = {},
): FakeDriver {
  const turns = [...script];
  const driver: FakeDriver = {
    name: "fake",
    passEnv: about.passEnv ?? [],
    can: about.can ?? { evidence: true, policy: true, resume: true },
    ...(about.refuses === undefined ? {} : { refuses: about.refuses }),
    handInTool: about.handInTool ?? null,
    prompts: [],
    opened: [],
    closed: 0,
    probes: 0,
    async probe() {
      driver.probes++;
      const found = { path: "/bin/fake", version: "1.2.3", installed: true, login: "ok" } as const;
      return { ...found, features: [], fix: null, ...about.probe };
    },
    async open(step) {
      await about.open?.();
      driver.opened.push(step);
      return {
        async turn(prompt) {
          driver.prompts.push(prompt);
          const { during, ...result } = turns.shift() ?? { outcome: "crashed", reason: "no more" };
          await during?.(step);
          return turnResult(step, result);
        },
        async close() {
          driver.closed++;
        },
      };
    },
  };
  return driver;
}

function turnResult(step: AgentStep, given: Partial<TurnResult>): TurnResult {
  return {
    outcome: "ok",
    reason: "",
    sessionLost: false,
    session: step.session ?? "session-1",
    text: "",
    structured: undefined,
    usage: null,
    rawUsage: null,
    denials: 0,
    ...given,
  };
}

export function seenCall(call: Partial<ToolCallRecord>): ToolCallRecord {
  return {
    id: "1",
    name: "Bash",
    kind: "execute",
    subject: "npm test",
    input: { command: "npm test" },
    output: "ok",
    ok: true,
    exitCode: 0,
    durationMs: 5,
    timestamp: 1_763_730_000_000,
    ...call,
  };
}

/** A step that a role made earlier. */
export function pastStep(
  role: string,
  contentHash: string,
  run: Partial<StepRun> | null = null,
): RoleStep {
  const record: StepRun = {
    agent: { name: "fake", version: "1" },
    session: null,
    prompt: null,
    startedAt: 0,
    completedAt: 0,
    usage: null,
    cwd: "/",
    evidence: [],
  };
  return {
    role,
    meta: {},
    contentHash,
    refs: [],
    timestamp: 0,
    childThread: null,
    run: run === null ? null : { ...record, ...run },
  };
}
