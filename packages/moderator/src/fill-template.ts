/** Edge prompts and locations: text with `{{ jsonata }}` placeholders. */
import {
  err,
  type Failure,
  failure,
  type ModeratorContext,
  ok,
  type Result,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { type Ask, asking } from "./asking.ts";
import { causeOf, type Expression, parseExpression } from "./expression.ts";
import { LIMITS } from "./limits.ts";
import type { Names } from "./names.ts";

/** Literal text, or a placeholder with its source for messages. */
type Part = string | Placeholder;

/** `at`: where its expression begins in the text. */
type Placeholder = { source: string; at: number; expression: Expression };

/** Fills in the placeholders: text as it is, numbers and booleans as text, lists and objects as JSON, nothing for
 *  missing or null values. `names`: what placeholders see besides the thread. Placeholders in filled-in text are not expanded. Rejects with `RULE_INVALID` for a broken
 *  placeholder, with `MODERATOR_FAILED` for one that fails. */
export async function fillTemplate(
  template: string,
  context: ModeratorContext,
  names: Names = {},
): Promise<string> {
  const parts = parseTemplate(template);
  if (!parts.ok) throw new WorkflowError(parts.error);
  const ask = asking(context, names);
  let text = "";
  for (const part of parts.value) {
    text += typeof part === "string" ? part : await filled(part, ask);
    if (text.length > LIMITS.textChars) throw tooLong(template);
  }
  return text;
}

/** Checks the placeholders without evaluating them. */
export function checkTemplate(template: string): Failure | null {
  const parts = parseTemplate(template);
  return parts.ok ? null : parts.error;
}

/** Its placeholders, in their order; none of a template that `checkTemplate` refuses. */
export function placeholdersOf(template: string): readonly Placeholder[] {
  const parts = parseTemplate(template);
  return parts.ok ? parts.value.filter((part) => typeof part !== "string") : [];
}

async function filled({ source, expression }: Placeholder, ask: Ask): Promise<string> {
  try {
    return await ask(expression, "text");
  } catch (thrown) {
    throw failed(`the placeholder {{ ${source} }} failed: ${causeOf(thrown)}`, thrown);
  }
}

function tooLong(template: string): WorkflowError {
  const begins = JSON.stringify(template.slice(0, 40));
  const what = `the text that begins with ${begins}`;
  return failed(`${what} has more than ${LIMITS.textChars} characters once it is filled in`);
}

function failed(message: string, cause?: unknown): WorkflowError {
  const hint =
    "correct the edge's prompt or location, build and add the workflow again, then start a new thread";
  return new WorkflowError(failure("MODERATOR_FAILED", message, hint), { cause });
}

/** Templates belong to a table, so there are few, and they are cached as long as the process lives. */
const parsed = new Map<string, Result<readonly Part[], Failure>>();

function parseTemplate(template: string): Result<readonly Part[], Failure> {
  const known = parsed.get(template);
  if (known !== undefined) return known;
  const parts = parseParts(template);
  parsed.set(template, parts);
  return parts;
}

function parseParts(template: string): Result<readonly Part[], Failure> {
  const parts: Part[] = [];
  const budget = { chars: LIMITS.placeholderChars };
  let at = 0;
  for (;;) {
    const open = template.indexOf("{{", at);
    if (open === -1) return ok([...parts, template.slice(at)]);
    const placeholder = parsePlaceholder(template, open + 2, budget);
    if (!placeholder.ok) return placeholder;
    parts.push(template.slice(at, open), placeholder.value.part);
    at = placeholder.value.end;
  }
}

/** The placeholder that begins at `from`. It ends at the first `}}` that leaves a complete expression, because
 *  object constructors may contain one themselves. Each attempt reduces the `budget` by its length. */
function parsePlaceholder(
  template: string,
  from: number,
  budget: { chars: number },
): Result<{ part: Placeholder; end: number }, Failure> {
  let problem: Failure | null = null;
  for (
    let close = template.indexOf("}}", from);
    close !== -1 && close - from <= LIMITS.expressionChars;
    close = template.indexOf("}}", close + 1)
  ) {
    const source = template.slice(from, close).trim();
    budget.chars -= source.length;
    if (budget.chars < 0) break;
    const expression = parseExpression(source, "here");
    if (expression.ok) {
      const at = from + template.slice(from).search(/\S|$/u);
      return ok({ part: { source, at, expression: expression.value }, end: close + 2 });
    }
    problem ??= expression.error;
  }
  const message =
    budget.chars < 0
      ? "the placeholders up to here are too long or too many"
      : (problem?.message ?? "it is not closed by }}");
  return err(
    failure(
      "RULE_INVALID",
      `the placeholder at character ${from - 2}: ${message}`,
      "write {{ expression }}",
    ),
  );
}
