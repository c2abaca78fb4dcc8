/** The loop of model and tools.
 *
 *  1. A turn ends when the model answers without calling a tool.
 *  2. Every call gets a result, in order, also one that is refused, unknown or malformed: servers refuse a
 *     history with an unanswered call.
 *  3. It is bounded: rounds of the step, calls of a reply, calls that teach nothing. */
import { randomUUID } from "node:crypto";
import { sumUsage } from "@uncaged/workflow-protocol";
import {
  type ChatMessage,
  createLlmFn,
  type LlmFailure,
  type LlmReply,
} from "@uncaged/workflow-reactor";
import {
  type AgentConversation,
  type AgentStep,
  EMPTY_TURN,
  modelEndpoint,
  type TurnResult,
} from "@uncaged/workflow-util-agent";
import { makeCall } from "./make-call.ts";
import type { ReactConfig } from "./react-config.ts";
import { type Repetition, repetition } from "./repetition.ts";
import { newSession, openSession, type SessionFile } from "./session-file.ts";
import type { Tool, ToolScope } from "./tool.ts";
import { toolsOf } from "./tools.ts";

const USUAL_ROUNDS = 60;
const MOST_CALLS_PER_REPLY = 32;
const SHELL_TIMEOUT_MS = 600_000;

export async function openReact(config: ReactConfig, step: AgentStep): Promise<AgentConversation> {
  const id = step.session ?? randomUUID();
  const session =
    step.session === null
      ? await newSession(step.home, id, step.redact)
      : await openSession(step.home, id, step.redact);
  const loop: Loop = {
    config,
    step,
    tools: toolsOf(config),
    scope: toolScope(config, step),
    repeats: repetition(),
    rounds: 0,
    calls: 0,
  };
  return {
    async turn(prompt) {
      if (session === null) return lost("the conversation to go on with is not there");
      const isFirst = loop.rounds === 0;
      const turn = await takeTurn(loop, session, prompt);
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

type Loop = {
  config: ReactConfig;
  step: AgentStep;
  tools: readonly Tool[];
  scope: ToolScope;
  repeats: Repetition;
  /** Model calls so far. */
  rounds: number;
  /** Tool calls so far, for their ids. */
  calls: number;
};

async function takeTurn(loop: Loop, session: SessionFile, prompt: string): Promise<TurnResult> {
  const { config, step } = loop;
  const { maxRounds = USUAL_ROUNDS } = config;
  const result: TurnResult = { ...EMPTY_TURN };
  await session.add([{ role: "user", content: prompt }]);
  while (true) {
    if (loop.rounds >= maxRounds)
      return { ...result, ...crashed(`it was not done after ${maxRounds} model calls`) };
    loop.rounds++;
    const reply = await ask(loop, session.messages);
    if (!reply.ok) return { ...result, ...reply.error };
    const { text, toolCalls, usage } = reply.value;
    result.usage = sumUsage(result.usage, usage);
    step.emit({ type: "usage", usage });
    result.text = text;
    const answered = await answerCalls(loop, reply.value);
    result.denials += answered.denials;
    await session.add([{ role: "assistant", content: text, toolCalls }, ...answered.messages]);
    if (step.signal.aborted) return { ...result, outcome: "cancelled", reason: "it was stopped" };
    if (answered.isRunaway)
      return { ...result, ...crashed("it made the same tool calls again and again") };
    if (toolCalls.length === 0) return result;
  }
}

function ask({ config, step, tools }: Loop, messages: readonly ChatMessage[]) {
  const { emit, signal, systemPrompt } = step;
  const system: ChatMessage = {
    role: "system",
    content: `${systemPrompt.trim()}\n\n${MANNERS}`.trim(),
  };
  return createLlmFn(modelEndpoint(config, step))({
    messages: [system, ...messages],
    tools,
    signal,
    onText: (text) => emit({ type: "text", text }),
    onRetry: (retry) => emit({ type: "retry", ...retry }),
  });
}

const MANNERS =
  "Do the work with the tools that you have; they work in the working directory. Look before you change something, and check what you did. Answer without calling a tool only when you are done.";

async function answerCalls(
  loop: Loop,
  { toolCalls }: LlmReply,
): Promise<{ messages: ChatMessage[]; denials: number; isRunaway: boolean }> {
  const { tools, step, scope, repeats } = loop;
  const messages: ChatMessage[] = [];
  let denials = 0;
  let isRunaway = false;
  for (const [at, call] of toolCalls.entries()) {
    const answer = (content: string) =>
      messages.push({ role: "tool", toolCallId: call.id, content });
    if (step.signal.aborted || isRunaway) answer("Error: it was stopped before this call");
    else if (at >= MOST_CALLS_PER_REPLY)
      answer(`Error: only ${MOST_CALLS_PER_REPLY} calls at once`);
    else {
      const made = await makeCall(call, {
        tools,
        step,
        scope,
        id: `${step.round}.${++loop.calls}`,
      });
      if (made.denied) denials++;
      const sense = repeats.note({ ...call, output: made.output });
      isRunaway = sense === "runaway";
      answer(sense === "told" ? `${made.output}\n\n${IN_CIRCLES}` : made.output);
    }
  }
  return { messages, denials, isRunaway };
}

const IN_CIRCLES =
  "You have made this call before, and it gave the same. Do something else, or say why you cannot go on.";

/** The keys of the model's provider are not for commands. */
function toolScope(config: ReactConfig, step: AgentStep): ToolScope {
  const { cwd, runMark, signal, limits, emit } = step;
  const env = Object.fromEntries(
    Object.entries(step.env).filter(([name]) => name !== config.envKey),
  );
  const { shellTimeoutMs = SHELL_TIMEOUT_MS } = config;
  return { cwd, env, runMark, signal, limits, emit, shellTimeoutMs };
}

const crashed = (reason: string): LlmFailure => ({ outcome: "crashed", reason });

const lost = (reason: string): TurnResult => ({
  ...EMPTY_TURN,
  outcome: "crashed",
  reason,
  sessionLost: true,
});
