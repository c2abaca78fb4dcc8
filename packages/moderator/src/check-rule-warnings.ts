import { type AstNode, isAstNode } from "./ast.ts";
import { parseExpression } from "./expression.ts";

/** What is allowed but slow in a long thread, each a sentence: reading the whole history once per item of
 *  something else, where a single reading costs O(steps) already. Empty for a broken rule. */
export function checkRuleWarnings(when: string): string[] {
  const parsed = parseExpression(when);
  if (!parsed.ok) return [];
  return [...new Set(warningsIn(parsed.value.ast, { repeated: false, atRoot: true }))];
}

/** `repeated`: evaluated once per item of something. `atRoot`: bare names are those of the root object. */
type Place = { repeated: boolean; atRoot: boolean };

/** Inside a filter, a sort term, a group or a later step of a path, bare names are the item's own. */
const PER_ITEM: Place = { repeated: true, atRoot: false };

function* warningsIn(value: unknown, place: Place): Generator<string> {
  if (Array.isArray(value)) {
    for (const item of value) yield* warningsIn(item, place);
  } else if (isAstNode(value)) {
    yield* warningsAt(value, place);
  } else if (typeof value === "object" && value !== null) {
    yield* warningsIn(Object.values(value), place);
  }
}

function* warningsAt(node: AstNode, place: Place): Generator<string> {
  const { stages, predicate, group, terms, type, ...operands } = node;
  yield* warningsIn([stages, predicate, group, terms], PER_ITEM);
  if (type === "path") yield* warningsInPath(node, place);
  else if (type === "lambda") yield* warningsIn(node.body, { ...place, repeated: true });
  else if (!isCount(node)) yield* warningsIn(operands, place);
}

function* warningsInPath(path: AstNode, place: Place): Generator<string> {
  const steps = Array.isArray(path.steps) ? path.steps.filter(isAstNode) : [];
  for (const [at, step] of steps.entries()) {
    if (step.type === "descendant" && isField(steps, at, place)) yield EVERYTHING;
    if (place.repeated && isHistory(steps, at, place) && !isIndexed(step)) yield HISTORY_PER_ITEM;
    yield* warningsIn(step, at === 0 ? place : PER_ITEM);
  }
}

const EVERYTHING = "** reads every field of every step; name the fields that you need";

const HISTORY_PER_ITEM =
  "the whole history is read once per item (in a lambda, a filter or a later step of a path), " +
  "which gets slow in a long thread; use `last`, `byRole.<role>.last`, `.count` or `.tally`";

/** `steps` and `byRole.<role>.metas`. */
function isHistory(steps: readonly AstNode[], at: number, place: Place): boolean {
  const name = steps[at]?.value;
  if (name === "steps") return isField(steps, at, place);
  return name === "metas" && steps.some((step, before) => before < at && step.value === "byRole");
}

/** Whether step `at` of a path is looked up in the root object itself: `steps`, `$.steps`, `$$.steps`. */
function isField(steps: readonly AstNode[], at: number, place: Place): boolean {
  if (at === 0) return place.atRoot;
  const [first] = steps;
  if (at !== 1 || first?.type !== "variable") return false;
  return first.value === "$" || (first.value === "" && place.atRoot);
}

/** `steps[-1]` takes one item and looks at no other. */
function isIndexed({ stages }: AstNode): boolean {
  const first: unknown = Array.isArray(stages) ? stages[0] : undefined;
  return isAstNode(first) && isAstNode(first.expr) && first.expr.type === "number";
}

/** `$count(steps)` is told the length and looks at no item. */
function isCount({ type, procedure, arguments: args }: AstNode): boolean {
  if (type !== "function" || !isAstNode(procedure) || !Array.isArray(args)) return false;
  const [arg]: unknown[] = args;
  if (procedure.value !== "count" || !isAstNode(arg) || !Array.isArray(arg.steps)) return false;
  const last: unknown = arg.steps.at(-1);
  return isAstNode(last) && last.stages === undefined && last.value === "steps";
}
