/** Makes and answers the tool calls of one reply.
 *
 *  1. Every call gets a result, in order, even one that is refused, unknown, malformed or too many: strict servers
 *     refuse a history with an unanswered call.
 *  2. A submitted result counts only once all other calls of its reply were made and succeeded, wherever it is among
 *     them: a model that submits next to a call that failed did not know about that, and is told. The last valid one
 *     counts.
 *  3. A model that goes in circles is told so, then stopped. */
import type { Result } from "@uncaged/workflow-protocol";
import type { ChatMessage, ToolCall, ToolDefinition } from "./chat.ts";
import type { EndingTool, HandInFault } from "./ending-tool.ts";
import type { Repetition } from "./repetition.ts";

/** Limit for one reply; further calls are told about it. */
const MOST_CALLS_PER_REPLY = 32;

/** The result of a call. */
export type ToolAnswer = {
  content: string;
  /** It did what was asked. */
  ok: boolean;
};

/** Answers a tool call; an error it throws is reported to the model. A plain text means success. */
export type ToolHandler = (call: ToolCall, signal: AbortSignal) => Promise<ToolAnswer | string>;

export type AnsweredCalls<T> = {
  answers: readonly ChatMessage[];
  /** What was submitted; null: nothing that counts or is invalid. */
  handIn: Result<T, HandInFault> | null;
  isRunaway: boolean;
};

export type CallParts<T> = {
  tools: readonly ToolDefinition[];
  toolHandler: ToolHandler;
  ending: EndingTool<T>;
  repeats: Repetition;
  signal: AbortSignal;
};

export async function answerCalls<T>(
  calls: readonly ToolCall[],
  parts: CallParts<T>,
): Promise<AnsweredCalls<T>> {
  const { ending } = parts;
  const others = await makeCalls(
    calls.filter((call) => !isHandIn(call, ending)),
    parts,
  );
  const contents = new Map(others.contents);
  let handIn: Result<T, HandInFault> | null = null;
  for (const call of calls) {
    if (!isHandIn(call, ending)) continue;
    const read = await ending.read(call);
    if (read.ok && !others.allWell) {
      contents.set(call, NOT_TAKEN);
      continue;
    }
    contents.set(call, read.ok ? TAKEN : `Error: ${read.error.why}`);
    if (read.ok || handIn?.ok !== true) handIn = read;
  }
  const answers = calls.map((call): ChatMessage => {
    return { role: "tool", toolCallId: call.id, content: contents.get(call) ?? "" };
  });
  return { answers, handIn, isRunaway: others.isRunaway };
}

const TAKEN = "It is handed in.";
const NOT_TAKEN =
  "Error: it was not taken, because a call beside it failed. Look at what the calls returned, then hand in what holds.";

function isHandIn<T>({ name }: ToolCall, { definition }: EndingTool<T>): boolean {
  return name === definition.name;
}

type MadeCalls = {
  contents: Map<ToolCall, string>;
  allWell: boolean;
  isRunaway: boolean;
};

async function makeCalls<T>(calls: readonly ToolCall[], parts: CallParts<T>): Promise<MadeCalls> {
  const { repeats, signal } = parts;
  const made: MadeCalls = { contents: new Map(), allWell: true, isRunaway: false };
  for (const [at, call] of calls.entries()) {
    if (signal.aborted || made.isRunaway || at >= MOST_CALLS_PER_REPLY) {
      made.contents.set(call, at >= MOST_CALLS_PER_REPLY ? TOO_MANY : STOPPED);
      made.allWell = false;
      continue;
    }
    const answer = await makeCall(call, parts);
    const sense = repeats.note({ ...call, output: answer.content });
    made.isRunaway = sense === "runaway";
    made.allWell &&= answer.ok;
    const told = sense === "told" ? `${answer.content}\n\n${IN_CIRCLES}` : answer.content;
    made.contents.set(call, told);
  }
  return made;
}

const IN_CIRCLES =
  "You have made this call before, and it gave the same. Do something else, or say why you cannot go on.";
const TOO_MANY = `Error: only ${MOST_CALLS_PER_REPLY} calls at once`;
const STOPPED = "Error: it was stopped before this call";

async function makeCall<T>(
  call: ToolCall,
  { tools, toolHandler, ending, signal }: CallParts<T>,
): Promise<ToolAnswer> {
  if (!tools.some(({ name }) => name === call.name)) {
    const known = [...tools, ending.definition].map(({ name }) => name).join(", ");
    return { content: `Error: there is no tool ${call.name}; there are: ${known}`, ok: false };
  }
  try {
    const answer = await toolHandler(call, signal);
    return typeof answer === "string" ? { content: answer, ok: true } : answer;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { content: `Error: ${why}`, ok: false };
  }
}
