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
import { causeOf, type Expression, parseExpression } from "./expression.ts";
import { visible } from "./projection.ts";

/** Literal text as it is, a placeholder with its source for messages. */
type Part = string | { source: string; expression: Expression };

/** Fills the placeholders in: text as it is, numbers and booleans as text, lists and objects as JSON,
 *  nothing for what is missing or null. What is filled in is not read again.
 *  Rejects with `RULE_INVALID` for a broken placeholder, `MODERATOR_FAILED` for one that fails. */
export async function fillTemplate(template: string, context: ModeratorContext): Promise<string> {
  const parts = parseTemplate(template);
  if (!parts.ok) throw new WorkflowError(parts.error);
  const root = visible(context);
  let text = "";
  for (const part of parts.value)
    text += typeof part === "string" ? part : await filled(part, root);
  return text;
}

/** Checks the placeholders without evaluating them. */
export function checkTemplate(template: string): Failure | null {
  const parts = parseTemplate(template);
  return parts.ok ? null : parts.error;
}

async function filled(part: Exclude<Part, string>, root: object): Promise<string> {
  try {
    return asText(await part.expression.evaluate(root));
  } catch (thrown) {
    throw new WorkflowError(
      failure(
        "MODERATOR_FAILED",
        `the placeholder {{ ${part.source} }} failed: ${causeOf(thrown)}`,
        "correct the edge's prompt or location, build and add the workflow again, then start a new thread",
      ),
      { cause: thrown },
    );
  }
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Templates are part of a table, so there are few of them and they live as long as the process. */
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
  let at = 0;
  for (;;) {
    const open = template.indexOf("{{", at);
    if (open === -1) return ok([...parts, template.slice(at)]);
    const placeholder = parsePlaceholder(template, open + 2);
    if (!placeholder.ok) return placeholder;
    parts.push(template.slice(at, open), placeholder.value.part);
    at = placeholder.value.end;
  }
}

/** The placeholder that begins at `from`. It ends at the first `}}` that leaves a whole expression:
 *  object constructors may well contain one themselves. */
function parsePlaceholder(
  template: string,
  from: number,
): Result<{ part: Exclude<Part, string>; end: number }, Failure> {
  let problem: Failure | null = null;
  for (
    let close = template.indexOf("}}", from);
    close !== -1;
    close = template.indexOf("}}", close + 1)
  ) {
    const source = template.slice(from, close).trim();
    const expression = parseExpression(source);
    if (expression.ok) {
      return ok({ part: { source, expression: expression.value }, end: close + 2 });
    }
    problem ??= expression.error;
  }
  const message = problem?.message ?? "it is not closed by }}";
  return err(
    failure(
      "RULE_INVALID",
      `the placeholder at character ${from - 2}: ${message}`,
      "write {{ expression }}",
    ),
  );
}
