import { type AstNode, astNodes, isAstNode } from "./ast.ts";
import { parseExpression } from "./expression.ts";

/** Warnings about what is allowed but hardly meant, one sentence each. Empty for a broken rule.
 *
 *  1. Slow in a long thread: reading the whole history once per item of something else, where even a single reading
 *     costs O(steps).
 *  2. Blind to failures: a member of a group that failed has no `meta`, and a missing value is not unequal to
 *     anything. */
export function checkRuleWarnings(when: string): string[] {
  const parsed = parseExpression(when);
  if (!parsed.ok) return [];
  const warnings = new Set<string>();
  const visits = new Visits({ value: parsed.value.ast, place: { repeated: false, atRoot: true } });
  for (const { value, place } of visits) {
    if (isAstNode(value)) {
      for (const warning of warningsAt(value, place)) warnings.add(warning);
      visits.before(partsOf(value, place));
    } else if (typeof value === "object" && value !== null) {
      visits.before(Object.values(value).map((item) => ({ value: item, place })));
    }
  }
  if (missesFailures(parsed.value.ast)) warnings.add(FAILED_IS_CLEAN);
  return [...warnings];
}

/** `repeated`: evaluated once per item of something. `atRoot`: bare names are those of the root object. */
type Place = { repeated: boolean; atRoot: boolean };
type Visit = { value: unknown; place: Place };

/** In a filter, a sort term, a group or a later step of a path, bare names refer to the item. */
const PER_ITEM: Place = { repeated: true, atRoot: false };

/** A work list that grows while it is processed: untrusted input must not set the depth of the call stack. The
 *  parser puts a part of `a ?: b` in two places, so each node is visited once per kind of place, not once per path
 *  to it. */
class Visits {
  readonly #open: Visit[];
  readonly #seen = new Map<unknown, Set<string>>();

  constructor(first: Visit) {
    this.#open = [first];
  }

  before(next: readonly Visit[]): void {
    for (const visit of next.toReversed()) this.#open.push(visit);
  }

  *[Symbol.iterator](): Generator<Visit> {
    for (let visit = this.#open.pop(); visit !== undefined; visit = this.#open.pop()) {
      const places = this.#seen.get(visit.value) ?? new Set();
      const place = JSON.stringify(visit.place);
      if (places.has(place)) continue;
      this.#seen.set(visit.value, places.add(place));
      yield visit;
    }
  }
}

function partsOf(node: AstNode, place: Place): Visit[] {
  const { stages, predicate, group, terms, type, ...operands } = node;
  const parts: Visit[] = [{ value: [stages, predicate, group, terms], place: PER_ITEM }];
  if (type === "path") {
    for (const [at, step] of stepsOf(node).entries())
      parts.push({ value: step, place: at === 0 ? place : PER_ITEM });
  } else if (type === "lambda") {
    parts.push({ value: node.body, place: { ...place, repeated: true } });
  } else if (!isCount(node)) {
    parts.push({ value: operands, place });
  }
  return parts;
}

function* warningsAt(node: AstNode, place: Place): Generator<string> {
  if (node.type !== "path") return;
  const steps = stepsOf(node);
  for (const [at, step] of steps.entries()) {
    if (step.type === "descendant" && isField(steps, at, place)) yield EVERYTHING;
    if (place.repeated && isHistory(steps, at, place) && !isIndexed(step)) yield HISTORY_PER_ITEM;
  }
}

function stepsOf({ steps }: AstNode): AstNode[] {
  return Array.isArray(steps) ? steps.filter(isAstNode) : [];
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

/** Whether step `at` of a path is a field of the root object itself: `steps`, `$.steps`, `$$.steps`. */
function isField(steps: readonly AstNode[], at: number, place: Place): boolean {
  if (at === 0) return place.atRoot;
  const [first] = steps;
  if (at !== 1 || first?.type !== "variable") return false;
  return first.value === "$" || (first.value === "" && place.atRoot);
}

/** `steps[-1]` takes one item and reads no other. */
function isIndexed({ stages }: AstNode): boolean {
  const first: unknown = Array.isArray(stages) ? stages[0] : undefined;
  return isAstNode(first) && isAstNode(first.expr) && first.expr.type === "number";
}

/** `$count(steps)` takes the length and reads no item. */
function isCount({ type, procedure, arguments: args }: AstNode): boolean {
  if (type !== "function" || !isAstNode(procedure) || !Array.isArray(args)) return false;
  const [arg]: unknown[] = args;
  if (procedure.value !== "count" || !isAstNode(arg) || !Array.isArray(arg.steps)) return false;
  const last: unknown = arg.steps.at(-1);
  return isAstNode(last) && last.stages === undefined && last.value === "steps";
}

const FAILED_IS_CLEAN =
  "a member that failed has no `meta`, and `!=` is never true of a missing value, so it counts as clean; " +
  "count those that are right (`$count(group.results[meta.status = 'ok']) = group.of`), or ask `group.failed` as well";

/** Whether it looks in `group.results` for members whose `meta` is unequal to something, and nowhere for those that
 *  failed. */
function missesFailures(ast: unknown): boolean {
  let reads = false;
  let compares = false;
  for (const node of astNodes(ast)) {
    const names = stepsOf(node).map(({ value }) => value);
    if (names.includes("failed") || names.includes("outcome")) return false;
    if (names.some((name, at) => name === "group" && names[at + 1] === "results")) reads = true;
    if (node.type === "binary" && node.value === "!=")
      compares ||= [node.lhs, node.rhs].some(isMetaOfItem);
  }
  return reads && compares;
}

/** `meta.status` in a filter, `$r.meta.status` in a lambda: not that of the thread's own steps. */
function isMetaOfItem(node: unknown): boolean {
  if (!isAstNode(node)) return false;
  const [first, second] = stepsOf(node);
  if (first?.value === "meta") return true;
  return first?.type === "variable" && first.value !== "$" && second?.value === "meta";
}
