/** What an agent is told about the thread: the task, its turn, the latest steps, and how to load the rest.
 *
 *  1. The task is given whole, whatever its length: it is what all is about.
 *  2. Steps are given oldest first, but chosen newest first, until the budget is used up. The newest is
 *     always given, cut in the middle when it alone is too long.
 *  3. Whatever is left out is named, with the command that loads it.
 *  4. Who goes on in a session is told what is new only: the task and what it has read is not repeated. */
import type { RoleStep, ThreadContext, WorkflowRuntime } from "@uncaged/workflow-protocol";
import { fenced } from "./fenced.ts";
import { readContent } from "./read-content.ts";

export type ThreadInputOptions = {
  /** Characters for previous steps. Default 24,000. */
  budgetChars?: number | undefined;
  /** How many of the thread's steps the agent's session knows, its own last one included; null: it is a new
   *  session. Default null. */
  knownSteps?: number | null | undefined;
  /** The agent can run commands, so it is told of the thread's own. Default true. */
  commands?: boolean | undefined;
};

type InputRuntime = Pick<WorkflowRuntime, "cas" | "step">;

export async function buildThreadInput(
  ctx: ThreadContext,
  runtime: InputRuntime,
  options: ThreadInputOptions = {},
): Promise<string> {
  const { budgetChars = 24_000, knownSteps = null, commands = true } = options;
  const turn = section("Your turn", yourTurn(ctx, runtime));
  const sections =
    knownSteps === null
      ? [
          section("Task", ctx.start.content),
          turn,
          await stepsSince(0, ctx, { runtime, budgetChars }),
          commands ? section("The thread's tools", TOOLS(ctx.threadId)) : "",
        ]
      : [await stepsSince(knownSteps, ctx, { runtime, budgetChars }), turn];
  return `${sections.filter((each) => each !== "").join("\n\n")}\n`;
}

function yourTurn(ctx: ThreadContext, { step }: InputRuntime): string {
  const where = `You play the role \`${step.role}\` in step ${step.round} of thread ${ctx.threadId}. Work in ${step.cwd}.`;
  const prompt = step.route?.prompt ?? null;
  return prompt === null || prompt === "" ? where : `${where}\n\n${prompt}`;
}

const TOOLS = (threadId: string): string =>
  [
    `- \`uncaged-workflow thread context ${threadId}\` prints the conversation so far`,
    "- `uncaged-workflow cas put -` stores a text from standard input and prints its hash",
    "- `uncaged-workflow cas get --payload <hash>` prints a stored text",
  ].join("\n");

/** The steps after the first `known` ones. */
async function stepsSince(
  known: number,
  ctx: ThreadContext,
  { runtime, budgetChars }: { runtime: InputRuntime; budgetChars: number },
): Promise<string> {
  const shown: string[] = [];
  let left = budgetChars;
  let first = ctx.steps.length;
  for (; first > known; first--) {
    const step = ctx.steps[first - 1];
    if (step === undefined) break;
    const text = await describeStep(step, first, runtime, budgetChars);
    if (text.length > left && shown.length > 0) break;
    shown.unshift(text);
    left -= text.length;
  }
  if (shown.length === 0) return "";
  const title = known === 0 ? "Previous steps" : "Steps since your last one";
  return section(title, [...leftOut(ctx.threadId, known, first), ...shown].join("\n\n"));
}

/** Steps `known + 1` to `last` are not shown. */
function leftOut(threadId: string, known: number, last: number): string[] {
  if (last === known) return [];
  const which = last === known + 1 ? `Step ${last} is` : `Steps ${known + 1} to ${last} are`;
  return [
    `${which} left out here. To load them, latest first:\n\n    uncaged-workflow thread context ${threadId} --before ${last + 1}`,
  ];
}

async function describeStep(
  step: RoleStep,
  round: number,
  { cas }: InputRuntime,
  maxChars: number,
): Promise<string> {
  const meta = JSON.stringify(step.meta, null, 2);
  const content = await readContent(cas, step.contentHash);
  const head = `## Step ${round}: ${step.role}\n\n${fenced(shortened(meta, maxChars, step), "json")}`;
  if (content === "" || content === JSON.stringify(step.meta)) return head;
  return `${head}\n\n${fenced(shortened(content, maxChars - meta.length, step), "text")}`;
}

/** Keeps the beginning and the end. */
function shortened(text: string, maxChars: number, { contentHash }: RoleStep): string {
  const half = Math.max(200, Math.floor(maxChars / 2));
  const cut = text.length - 2 * half;
  if (cut <= 0) return text;
  const note = `[… ${cut} characters left out; all of it: uncaged-workflow cas get --payload ${contentHash} …]`;
  // A cut may fall between the halves of a surrogate pair.
  return `${text.slice(0, half).toWellFormed()}\n${note}\n${text.slice(-half).toWellFormed()}`;
}

function section(title: string, body: string): string {
  return `# ${title}\n\n${body}`;
}
