import { type AstNode, astNodes } from "./ast.ts";

/** Whether an expression does only linear work in the size of the steps between two checks of the clock: paths,
 *  filters, literals, comparisons, arithmetic, and functions that read their argument once. It creates nothing
 *  larger than what it reads, so its time limit alone is enough.
 *
 *  A list of what is known to be safe, as for pure functions: anything else is evaluated in another process. */
export function isBounded(ast: unknown): boolean {
  for (const node of astNodes(ast)) if (!isBoundedNode(node)) return false;
  return true;
}

/** Operands that become text: anything but a scalar there would be written out in one go. */
export function* concatenated(ast: unknown): Generator<unknown> {
  for (const node of astNodes(ast)) {
    if (node.type === "binary" && node.value === "&") yield* [node.lhs, node.rhs];
  }
}

function isBoundedNode(node: AstNode): boolean {
  if ([node.group, node.focus, node.index].some((each) => each !== undefined)) return false;
  const values = VALUES.get(node.type);
  return values !== undefined && (values === "any" || values.has(node.value));
}

const OPERATORS = new Set<unknown>([
  "=",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "+",
  "-",
  "*",
  "/",
  "%",
  "and",
  "or",
  "in",
  "&",
]);

/** The item, the root, and functions that are called. */
const VARIABLES = new Set<unknown>(
  `abs average boolean ceil contains count exists floor join lookup lowercase max min not round
   substringAfter substringBefore sum uppercase`.split(/\s+/u),
)
  .add("")
  .add("$");

/** The allowed values of a node, by its type. */
const VALUES: ReadonlyMap<string, ReadonlySet<unknown> | "any"> = new Map<
  string,
  ReadonlySet<unknown> | "any"
>([
  ["path", "any"],
  ["name", "any"],
  ["string", "any"],
  ["number", "any"],
  ["value", "any"],
  ["block", "any"],
  ["condition", "any"],
  ["filter", "any"],
  ["function", "any"],
  ["binary", OPERATORS],
  ["unary", new Set<unknown>(["-", "["])],
  ["variable", VARIABLES],
]);
