/** What an agent is told about the thread: the task, its turn, the latest steps, and how to load the rest.
 *
 *  1. The task is always complete, whatever its length: everything else depends on it.
 *  2. Steps are listed oldest first, but chosen newest first, until the budget is used up. The newest is always
 *     included, cut in the middle if it alone is too long.
 *  3. Whatever is left out is named, with the way to load it, if the role has one.
 *  4. In a resumed session only what is new is told: the task and what the agent has read are not repeated.
 *  5. Whatever others said is between fences that it cannot close, and what agents said is also indented: no text
 *     can pose as one of our headings, or as a step. */
import type { RoleStep, ThreadContext, WorkflowRuntime } from "@uncaged/workflow-protocol";
import { printable, quotedText } from "@uncaged/workflow-util";
import { bodyWithoutMeta } from "@uncaged/workflow-util/body-without-meta";
import { readContent } from "../answer/read-content.ts";
import { fenced } from "./fenced.ts";
import { type ThreadAccess, type ThreadReach, threadAccess } from "./thread-access.ts";
import { turnText } from "./turn-text.ts";

export type ThreadInputOptions = ThreadReach & {
  /** Characters for previous steps. Default 24,000. */
  budgetChars?: number | undefined;
  /** How many of the thread's steps the agent's session knows, including its own last one; null: it is a new
   *  session. Default null. */
  knownSteps?: number | null | undefined;
};

type InputRuntime = Pick<WorkflowRuntime, "cas" | "step">;

export async function buildThreadInput(
  ctx: ThreadContext,
  runtime: InputRuntime,
  { budgetChars = 24_000, knownSteps = null, ...reach }: ThreadInputOptions = {},
): Promise<string> {
  const access = threadAccess(ctx.threadId, runtime.step.rules?.tools ?? null, reach);
  const steps = await stepsSince(knownSteps ?? 0, ctx, { cas: runtime.cas, access, budgetChars });
  const turn = section("Your turn", turnText(ctx.threadId, runtime.step));
  const sections =
    knownSteps === null
      ? [section("Task", fenced(ctx.start.content, "text")), turn, steps, tools(access)]
      : [steps, turn];
  return `${sections.filter((each) => each !== "").join("\n\n")}\n`;
}

function tools(access: ThreadAccess): string {
  const lines = [
    { way: access.context(null), what: "prints the conversation so far" },
    { way: access.put(), what: "stores a text from standard input and prints its hash" },
    { way: access.get("<hash>"), what: "prints a stored text" },
  ].flatMap(({ way, what }) => (way === null ? [] : [`- \`${way.what}\` ${what}`]));
  return lines.length === 0 ? "" : section("The thread's tools", lines.join("\n"));
}

type Steps = { cas: InputRuntime["cas"]; access: ThreadAccess; budgetChars: number };

/** The steps after the first `known` ones, under their title; empty when there are none. */
export async function stepsSince(known: number, ctx: ThreadContext, how: Steps): Promise<string> {
  const shown: string[] = [];
  let left = how.budgetChars;
  let first = ctx.steps.length;
  for (; first > known; first--) {
    const step = ctx.steps[first - 1];
    if (step === undefined) break;
    const text = await describeStep(step, first, how);
    if (text.length > left && shown.length > 0) break;
    shown.unshift(text);
    left -= text.length;
  }
  if (shown.length === 0) return "";
  const title = known === 0 ? "Previous steps" : "Steps since your last one";
  return section(title, [...leftOut(how.access, known, first), ...shown].join("\n\n"));
}

/** Steps `known + 1` to `last` are not shown. */
function leftOut(access: ThreadAccess, known: number, last: number): string[] {
  if (last === known) return [];
  const which = last === known + 1 ? `Step ${last} is` : `Steps ${known + 1} to ${last} are`;
  const way = access.context(last + 1);
  if (way === null) return [`${which} left out here.`];
  return [`${which} left out here. To load them, latest first:\n\n    ${way.what}`];
}

async function describeStep(
  step: RoleStep,
  round: number,
  { cas, access, budgetChars }: Steps,
): Promise<string> {
  const content = await readContent(cas, step.contentHash);
  const more = access.get(step.contentHash)?.what ?? null;
  const meta = printable(JSON.stringify(step.meta, null, 2));
  const shownMeta = shortened(meta, budgetChars, more);
  const head = `## Step ${round}: ${step.role}\n\n${fenced(shownMeta, "json")}`;
  const body = bodyWithoutMeta(content, step.meta);
  if (body === "") return head;
  const said = shortened(body, budgetChars - shownMeta.length, more);
  return `${head}\n\n${fenced(quotedText(said), "text")}`;
}

/** Keeps the beginning and the end. */
function shortened(text: string, maxChars: number, more: string | null): string {
  const half = Math.max(200, Math.floor(maxChars / 2));
  const cut = text.length - 2 * half;
  if (cut <= 0) return text;
  const note = `[… ${cut} characters left out${more === null ? "" : `; all of it: ${more}`} …]`;
  // A cut may fall between the halves of a surrogate pair.
  return `${text.slice(0, half).toWellFormed()}\n${note}\n${text.slice(-half).toWellFormed()}`;
}

function section(title: string, body: string): string {
  return `# ${title}\n\n${body}`;
}
