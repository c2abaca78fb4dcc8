/** A model that works with tools, by the loop of `reactor`. What is kept of it and what its tools may do is said here.
 *
 *  1. A turn ends when the model hands in its result, or answers without calling a tool.
 *  2. A round is kept once it is whole, before the next one is asked for: a crash loses no round that was paid for.
 *  3. Rounds and calls that teach nothing are counted over all turns of the step. */
import { randomUUID } from "node:crypto";
import { sumUsage } from "@uncaged/workflow-protocol";
import {
  createLlmFn,
  createThreadReactor,
  type ReactFailure,
  type Repetition,
  repetition,
  type ToolHandler,
} from "@uncaged/workflow-reactor";
import {
  type AgentConversation,
  type AgentStep,
  EMPTY_TURN,
  modelEndpoint,
  type TurnResult,
} from "@uncaged/workflow-util-agent";
import { engineTool } from "./engine-tool.ts";
import { HAND_IN_TOOL, type HandIn, handIn } from "./hand-in.ts";
import { makeCall } from "./make-call.ts";
import type { ReactConfig } from "./react-config.ts";
import { newSession, openSession, type SessionFile } from "./session-file.ts";
import type { Tool, ToolScope } from "./tool.ts";
import { toolsOf } from "./tools.ts";

const USUAL_ROUNDS = 60;
const SHELL_TIMEOUT_MS = 600_000;

export async function openReact(config: ReactConfig, step: AgentStep): Promise<AgentConversation> {
  const id = step.session ?? randomUUID();
  const session =
    step.session === null
      ? await newSession(step.home, id, step.redact)
      : await openSession(step.home, id, step.redact);
  const work: Work = {
    config,
    step,
    tools: [...toolsOf(config), ...(step.tools ?? []).map(engineTool)],
    scope: toolScope(config, step),
    handIn: handIn(step),
    repeats: repetition(),
    rounds: 0,
    calls: 0,
  };
  return {
    async turn(prompt) {
      if (session === null) return lost("the conversation to resume does not exist");
      const isFirst = work.rounds === 0;
      const turn = await takeTurn(work, session, prompt);
      if (turn.outcome === "context_overflow" && isFirst && step.session !== null) {
        return {
          ...lost(`the conversation has become too long: ${turn.reason}`),
          usage: turn.usage,
        };
      }
      return { ...turn, session: id };
    },
    // Nothing runs between turns.
    close: async () => {},
  };
}

/** One step's. */
type Work = {
  config: ReactConfig;
  step: AgentStep;
  tools: readonly Tool[];
  scope: ToolScope;
  handIn: HandIn;
  repeats: Repetition;
  /** Replies of the model so far. */
  rounds: number;
  /** Tool calls so far, for their ids. */
  calls: number;
};

async function takeTurn(work: Work, session: SessionFile, prompt: string): Promise<TurnResult> {
  const { config, step, tools, repeats } = work;
  const { emit, signal } = step;
  const maxRounds = config.maxRounds ?? USUAL_ROUNDS;
  const turn: TurnResult = { ...EMPTY_TURN, model: config.model };
  await session.add([{ role: "user", content: prompt }]);
  const react = createThreadReactor({
    // Read each time: a command may take what is left of the step's time.
    llm: (request) => createLlmFn(modelEndpoint(config, step))(request),
    staticTools: tools,
    structuredToolFromSchema: () => work.handIn.tool,
    systemPromptForStructuredTool: () => `${step.systemPrompt.trim()}\n\n${MANNERS}`.trim(),
    toolHandler: toolHandler(work, turn),
    maxRounds: maxRounds - work.rounds,
    repeats,
  });
  const done = await react({
    schema: work.handIn.schema,
    messages: session.messages,
    signal,
    onText: (text) => emit({ type: "text", text }),
    onRetry: (retry) => emit({ type: "retry", ...retry }),
    standBack: step.standBack,
    onReply({ text, usage }) {
      work.rounds++;
      turn.usage = sumUsage(turn.usage, usage);
      turn.text = text === "" ? turn.text : text;
      emit({ type: "usage", usage });
    },
    onRound: session.add,
    onMisfit: work.handIn.onMisfit,
  });
  if (!done.ok) return { ...turn, ...failed(done.error, maxRounds) };
  const { value, text } = done.value;
  if (value.structured === undefined) return { ...turn, text };
  return { ...turn, ...value };
}

const MANNERS = `Do the work with the tools that you have; they work in the working directory. Look before you change something, and check what you did. Call ${HAND_IN_TOOL}, or answer without calling a tool, only when you are done.`;

function toolHandler(work: Work, turn: TurnResult): ToolHandler {
  const { tools, step, scope } = work;
  return async (call) => {
    const id = `${step.round}.${++work.calls}`;
    const made = await makeCall(call, { tools, step, scope, id });
    if (made.denied) turn.denials++;
    return { content: made.output, ok: made.ok };
  };
}

function failed(
  failure: ReactFailure,
  maxRounds: number,
): Pick<TurnResult, "outcome" | "reason" | "retryAfterMs"> {
  if (failure !== "max_react_rounds_exceeded") return failure;
  return { outcome: "crashed", reason: `it did not finish within ${maxRounds} model calls` };
}

/** The keys of the model's provider are not for commands. */
function toolScope(config: ReactConfig, step: AgentStep): ToolScope {
  const { cwd, isolation = null, processTag, signal, limits, emit } = step;
  const env = Object.fromEntries(
    Object.entries(step.env).filter(([name]) => name !== config.envKey),
  );
  const { shellTimeoutMs = SHELL_TIMEOUT_MS } = config;
  return { cwd, env, isolation, processTag, signal, limits, emit, shellTimeoutMs };
}

const lost = (reason: string): TurnResult => ({
  ...EMPTY_TURN,
  outcome: "crashed",
  reason,
  sessionLost: true,
});
