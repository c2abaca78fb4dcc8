/** Fields that an expression names and no step can have: most are misspelt.
 *
 *  1. Never a false fault: a name counts only where it is known what it is looked up in. What functions, parameters,
 *     wildcards and the like return is not known.
 *  2. Every look at a schema takes from one budget; when that is used up, nothing more is said. */
import { type AstNode, astNodes, isAstNode } from "./ast.ts";
import { parseExpression } from "./expression.ts";
import { placeholdersOf } from "./fill-template.ts";
import { type Budget, declaredFields, findField } from "./find-field.ts";
import { narrowedBy } from "./narrowed-by.ts";
import { ANY, oneOf, type Shape } from "./shape.ts";
import { type RoleSchemas, threadShape } from "./thread-shape.ts";

export type FieldFinding = {
  /** `fault`: no schema has the field. `warning`: none declares it, and an open one allows it. */
  level: "fault" | "warning";
  field: string;
  /** What was to have it: `last.meta`; empty at the beginning of a path. */
  of: string;
  /** Fields that are declared there. */
  known: readonly string[];
  /** Where the name begins in the text, from 0; null where that is not known. */
  at: number | null;
};

export type FieldCheck = {
  text: string;
  /** A template has expressions in placeholders. */
  kind: "expression" | "template";
  roles: RoleSchemas;
  /** Role of the last step; null: any. */
  last: string | null;
  /** What it sees besides the thread; nothing is known of it. */
  names?: readonly string[];
};

/** Empty for a text that cannot be parsed: `checkRule` and `checkTemplate` say why. */
export function checkFields({ text, kind, roles, last, names = [] }: FieldCheck): FieldFinding[] {
  const root = threadShape(roles, last, names);
  const budget = { left: MAX_LOOKS };
  const findings: FieldFinding[] = [];
  for (const { source, at } of kind === "template"
    ? placeholdersOf(text)
    : [{ source: text, at: 0 }]) {
    const parsed = parseExpression(source);
    if (!parsed.ok) continue;
    const walk = new Walk(source, { root, ast: parsed.value.ast, budget });
    for (const found of walk.findings())
      findings.push({ ...found, at: found.at === null ? null : at + found.at });
  }
  return findings;
}

const MAX_LOOKS = 20_000;

/** What an expression is asked about, or comes to; `label`: how messages name it. */
type Value = { shape: Shape; label: string };

const UNKNOWN: Value = { shape: ANY, label: "" };

class Walk {
  readonly #source: string;
  readonly #root: Value;
  readonly #ast: unknown;
  readonly #budget: Budget;
  /** Variables that are bound in one place, as far as that was come to. */
  readonly #bound = new Map<unknown, Value>();
  readonly #boundOnce: ReadonlySet<unknown>;
  /** By place: parts of `a ?: b` stand in the tree twice. */
  readonly #found = new Map<string, FieldFinding>();

  constructor(source: string, parts: { root: Shape; ast: unknown; budget: Budget }) {
    this.#source = source;
    this.#root = { shape: parts.root, label: "" };
    this.#ast = parts.ast;
    this.#budget = parts.budget;
    this.#boundOnce = boundOnce(parts.ast);
  }

  findings(): FieldFinding[] {
    this.#visit(this.#ast, this.#root);
    return [...this.#found.values()];
  }

  #visit(node: unknown, input: Value): Value {
    if (!isAstNode(node)) return UNKNOWN;
    let value = this.#valueOf(node, input);
    for (const filter of nodesIn(node.predicate)) value = this.#filtered(value, filter);
    return this.#grouped(node, value);
  }

  #valueOf(node: AstNode, input: Value): Value {
    switch (node.type) {
      case "path":
        return this.#path(nodesIn(node.steps), input);
      case "name":
        return this.#field(node, input);
      case "variable":
        return this.#variable(node.value, input);
      case "bind":
        return this.#bind(node, input);
      case "block":
        return nodesIn(node.expressions).reduce((_, each) => this.#visit(each, input), UNKNOWN);
      case "condition": {
        this.#visit(node.condition, input);
        const ways = [node.then, node.else].filter(isAstNode).map((way) => this.#visit(way, input));
        return { shape: oneOf(ways.map(({ shape }) => shape)), label: ways[0]?.label ?? "" };
      }
      default:
        // Operators, calls, constructors, lambdas: their parts are about the same input, what they come to is not known.
        for (const part of partsOf(node)) this.#visit(part, input);
        return UNKNOWN;
    }
  }

  #path(steps: readonly AstNode[], input: Value): Value {
    // `@` leaves the input of later steps where it was.
    if (steps.some(({ focus }) => focus !== undefined)) return UNKNOWN;
    let value = input;
    for (const step of steps) {
      if (step.type === "sort") {
        for (const { expression } of objectsIn(step.terms)) this.#visit(expression, value);
      } else {
        value = this.#visit(step, value);
      }
      for (const stage of nodesIn(step.stages)) {
        if (stage.type === "filter") value = this.#filtered(value, stage);
      }
    }
    return value;
  }

  #filtered(value: Value, { expr }: AstNode): Value {
    this.#visit(expr, value);
    return { ...value, shape: narrowedBy(expr, value.shape) };
  }

  #grouped({ group }: AstNode, value: Value): Value {
    if (typeof group !== "object" || group === null || !("lhs" in group)) return value;
    for (const part of pairsIn(group.lhs)) this.#visit(part, value);
    return UNKNOWN;
  }

  #variable(name: unknown, input: Value): Value {
    if (name === "") return input;
    if (name === "$") return this.#root;
    return this.#bound.get(name) ?? UNKNOWN;
  }

  #bind({ lhs, rhs }: AstNode, input: Value): Value {
    const value = this.#visit(rhs, input);
    if (isAstNode(lhs) && this.#boundOnce.has(lhs.value)) this.#bound.set(lhs.value, value);
    return value;
  }

  #field({ value: name, position }: AstNode, input: Value): Value {
    if (typeof name !== "string") return UNKNOWN;
    const { presence, shape } = findField(input.shape, name, this.#budget);
    const label = input.label === "" ? name : `${input.label}.${name}`;
    if (presence === "never" || presence === "open") {
      const level = presence === "never" ? "fault" : "warning";
      const known = declaredFields(input.shape, this.#budget);
      const at = this.#placeOf(name, position);
      const found = { level, field: name, of: input.label, known, at } as const;
      if (this.#budget.left >= 0) this.#found.set(`${label} ${position}`, found);
    }
    return { shape, label };
  }

  /** The parser tells where a name ends. */
  #placeOf(name: string, end: unknown): number | null {
    if (typeof end !== "number") return null;
    const at = end - name.length;
    return this.#source.slice(at, end) === name ? at : null;
  }
}

/** Names that are bound by one `:=` and by nothing else. */
function boundOnce(ast: unknown): ReadonlySet<unknown> {
  const times = new Map<unknown, number>();
  const note = (name: unknown, count: number): void => {
    times.set(name, (times.get(name) ?? 0) + count);
  };
  for (const node of astNodes(ast)) {
    if (node.type === "bind" && isAstNode(node.lhs)) note(node.lhs.value, 1);
    if (node.type === "lambda")
      for (const { value } of nodesIn(node.arguments)) note(value, MANY_TIMES);
    for (const name of [node.focus, node.index]) if (name !== undefined) note(name, MANY_TIMES);
    if (node.type === "index") note(node.value, MANY_TIMES);
  }
  return new Set([...times].filter(([, count]) => count === 1).map(([name]) => name));
}

const MANY_TIMES = 2;

/** What stands below a node and is evaluated with its input. */
function partsOf(node: AstNode): unknown[] {
  const { lhs, rhs, expression, expressions, procedure, body } = node;
  const given = node.type === "lambda" ? [] : nodesIn(node.arguments);
  const sides = Array.isArray(lhs) ? pairsIn(lhs) : [lhs];
  return [...sides, rhs, expression, ...nodesIn(expressions), procedure, ...given, body];
}

/** Keys and values of an object constructor. */
function pairsIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value.flat() : [];
}

function nodesIn(value: unknown): AstNode[] {
  return Array.isArray(value) ? value.filter(isAstNode) : [];
}

function objectsIn(value: unknown): { expression: unknown }[] {
  const isTerm = (each: unknown): each is { expression: unknown } =>
    typeof each === "object" && each !== null && "expression" in each;
  return Array.isArray(value) ? value.filter(isTerm) : [];
}
