/** One call of a tool, from the text that the model wrote to the text that it gets.
 *
 *  1. The policy is asked before anything is done, about the call as it would be made.
 *  2. Whatever goes wrong is an answer for the model, never an error of ours.
 *  3. What was made is evidence, what was refused is not. */
import type { JsonValue } from "@uncaged/workflow-protocol";
import type { ToolCall } from "@uncaged/workflow-reactor";
import { type AgentStep, callVerdict } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import type { PlannedCall, Tool, ToolOutcome, ToolScope } from "./tool.ts";

/** Of a result, in the conversation: a tool keeps its own within this. */
const MOST_OUTPUT_CHARS = 64 * 1024;

export type MadeCall = { output: string; ok: boolean; denied: boolean };

export async function makeCall(
  call: ToolCall,
  {
    tools,
    step,
    scope,
    id,
  }: { tools: readonly Tool[]; step: AgentStep; scope: ToolScope; id: string },
): Promise<MadeCall> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) return refused(`there is no tool ${call.name}`);
  const { name, kind } = tool;
  const input = parseJson(call.arguments);
  if (input === undefined) return refused("the arguments are not JSON; nothing was done");
  const planned = await plan(tool, input, scope);
  if (typeof planned === "string") return refused(planned);
  const { subject } = planned;
  const judged = callVerdict(step, { name, kind, subject });
  const verdict = judged.asks === true ? await step.mayI({ name, subject }) : judged;
  if (judged.asks === true && verdict.allowed)
    step.emit({ type: "permission", tool: name, ...verdict });
  if (!verdict.allowed) {
    step.emit({ type: "permission", tool: name, allowed: false, reason: verdict.reason });
    const output = `Denied: ${verdict.reason}. Do not try it another way.`;
    return { output, ok: false, denied: true };
  }
  step.emit({ type: "tool", phase: "start", id, name, input });
  const startedMs = performance.now();
  const { output, ok, exitCode } = await attempt(planned);
  step.emit({ type: "tool", phase: "end", id, name, ok });
  const durationMs = Math.round(performance.now() - startedMs);
  const timestamp = Date.now();
  const { cwd } = scope;
  step.seen({ id, name, kind, subject, input, output, ok, exitCode, durationMs, timestamp, cwd });
  return { output: output.slice(0, MOST_OUTPUT_CHARS), ok, denied: false };
}

function refused(why: string): MadeCall {
  return { output: `Error: ${why}`, ok: false, denied: false };
}

async function plan(tool: Tool, input: JsonValue, scope: ToolScope): Promise<PlannedCall | string> {
  try {
    return await tool.plan(input, scope);
  } catch (thrown) {
    return inWords(thrown);
  }
}

async function attempt(planned: PlannedCall): Promise<ToolOutcome> {
  try {
    return await planned.run();
  } catch (thrown) {
    return { output: `Error: ${inWords(thrown)}`, ok: false, exitCode: null };
  }
}

/** Without the names that open folders have in system calls. */
function inWords(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.replaceAll(/\/proc\/self\/fd\/\d+\/?/g, "");
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON_VALUE.parse(JSON.parse(text === "" ? "{}" : text));
  } catch {
    return undefined;
  }
}

const JSON_VALUE = z.json();
