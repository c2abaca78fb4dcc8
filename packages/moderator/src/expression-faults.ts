import { type AstNode, astNodes, isAstNode } from "./ast.ts";
import { linearRegex } from "./linear-regex.ts";
import { IMPURE_FUNCTIONS, PURE_FUNCTIONS } from "./pure-functions.ts";

/** Why this parsed expression may not be used in a rule, one sentence per fault. */
export function* faultsIn(ast: unknown): Generator<string> {
  const bound = boundNames(ast);
  for (const node of astNodes(ast)) {
    if (node.type === "transform") yield transformFault;
    if (node.type === "regex") yield* regexFaults(node);
    if (node.type === "variable") yield* variableFaults(node, bound);
    if (node.type === "function" || node.type === "partial") yield* callFaults(node);
  }
}

const transformFault =
  "the transform operator |…|…| can change the steps it reads; build a new object instead";

/** Names that the expression binds itself: with `:=`, as a lambda's parameter, with `@` or `#`. */
function boundNames(ast: unknown): ReadonlySet<unknown> {
  const names = new Set<unknown>();
  for (const node of astNodes(ast)) {
    if (node.type === "bind" && isNamed(node.lhs)) names.add(node.lhs.value);
    if (node.type === "lambda" && Array.isArray(node.arguments)) {
      for (const parameter of node.arguments) if (isNamed(parameter)) names.add(parameter.value);
    }
    if (typeof node.focus === "string") names.add(node.focus);
    if (typeof node.index === "string") names.add(node.index);
    // After a sort or a filter the name of `#` is in a separate stage.
    if (node.type === "index") names.add(node.value);
  }
  return names;
}

function* variableFaults(node: AstNode, bound: ReadonlySet<unknown>): Generator<string> {
  const name = String(node.value);
  const impurity = IMPURE_FUNCTIONS.get(name);
  if (impurity !== undefined) {
    yield `$${name} is not allowed: ${impurity}, and the same steps must always lead to the same role${at(node)}`;
  } else if (name !== "" && name !== "$" && !bound.has(name) && !PURE_FUNCTIONS.has(name)) {
    yield `$${name} is neither a function nor bound in the expression${at(node)}`;
  }
}

/** `count(steps)`: without the `$` it would call a value from the steps, which is never a function. */
function* callFaults(node: AstNode): Generator<string> {
  const { procedure } = node;
  if (!isAstNode(procedure) || procedure.type !== "path") return;
  yield `only functions can be called, and their names begin with $${at(node)}`;
}

function* regexFaults(node: AstNode): Generator<string> {
  const literal = node.value;
  if (!(literal instanceof RegExp)) return;
  try {
    linearRegex(literal);
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown.message : String(thrown);
    yield `${literal.source} cannot be matched in linear time: ${cause}${at(node)}`;
  }
}

function isNamed(value: unknown): value is { value: unknown } {
  return typeof value === "object" && value !== null && "value" in value;
}

function at(node: AstNode): string {
  return typeof node.position === "number" ? ` (at character ${node.position})` : "";
}
