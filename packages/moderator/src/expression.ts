/** JSONata as used in rules and edge prompts: parsed once, checked, evaluated within limits.
 *
 *  1. Pure: no clock, no randomness, no text executed as code, no changes to what it reads.
 *  2. Bounded: time, depth, length of sequences and texts; regular expressions are linear.
 *  3. The evaluator checks its limits only between two nodes. An expression for which that is not enough
 *     (`isBounded`) is evaluated in a separate process, which can be killed. */
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import jsonata from "jsonata";
import { nestingOf } from "./ast.ts";
import { concatenated, isBounded } from "./bounded-expression.ts";
import { joinWithin, padWithin } from "./bounded-texts.ts";
import { faultsIn } from "./expression-faults.ts";
import { LIMITS } from "./limits.ts";
import { LINEAR_REGEX_ENGINE } from "./linear-regex.ts";
import { parsedChars } from "./parsed-chars.ts";

export type Expression = {
  readonly text: string;
  /** The parsed tree, for checks. */
  readonly ast: unknown;
  /** Whether its limits are checked often enough to evaluate it on the calling thread. */
  readonly isBounded: boolean;
  /** Rejects with the evaluator's own error; `causeOf` puts it into words. */
  evaluate(root: object): Promise<unknown>;
};

/** The evaluator, with the symbols that its `assign` also accepts. */
type Evaluator = {
  ast(): unknown;
  evaluate(root: object): Promise<unknown>;
  assign(name: string | symbol, value: unknown): void;
  registerFunction(
    name: string,
    implementation: typeof padWithin | typeof joinWithin,
    signature: string,
  ): void;
};

/** Thrown when an evaluation becomes too much for the calling thread. */
export class TooMuchHere extends Error {}

/** Where an expression is evaluated: on the calling thread, briefly and nothing large; or in a separate process. */
export type Place = "here" | "apart";

/** Parses and checks; the failure's code is `RULE_INVALID`. */
export function parseExpression(text: string, place: Place = "apart"): Result<Expression, Failure> {
  if (text.length > LIMITS.expressionChars) {
    return invalid(
      `the expression has ${text.length} characters, at most ${LIMITS.expressionChars} are read`,
    );
  }
  if (parsedChars(text) > LIMITS.parsedChars) {
    return invalid(
      "too many ?: and ?? are nested in the expression; name what they have in common",
    );
  }
  const timeoutMs = place === "here" ? LIMITS.ownThreadMs : LIMITS.timeoutMs;
  let evaluator: Evaluator;
  try {
    evaluator = jsonata(text, {
      timeout: timeoutMs,
      stack: LIMITS.depth,
      sequence: LIMITS.items,
      RegexEngine: LINEAR_REGEX_ENGINE,
    });
  } catch (thrown) {
    return thrown instanceof RangeError
      ? tooDeep()
      : invalid(`not a JSONata expression: ${causeOf(thrown)}`);
  }
  const ast = evaluator.ast();
  if (nestingOf(ast) > LIMITS.depth) return tooDeep();
  const [fault] = faultsIn(ast);
  if (fault !== undefined) return invalid(fault);
  evaluator.assign(Symbol.for("jsonata.__evaluate_exit"), watch(ast, place));
  evaluator.registerFunction("pad", padWithin, "<s-ns?:s>");
  evaluator.registerFunction("join", joinWithin, "<a<s>s?:s>");
  return ok({
    text,
    ast,
    isBounded: isBounded(ast),
    evaluate: (root) => evaluator.evaluate(root),
  });
}

/** The evaluator's error as a sentence, with the position in the expression. */
export function causeOf(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return String(thrown);
  const message = "message" in thrown ? String(thrown.message) : "it failed without a message";
  const place =
    "position" in thrown && typeof thrown.position === "number" ? thrown.position : null;
  return place === null ? message : `${message} (at character ${place})`;
}

/** Whether an evaluation on the calling thread was cut short. */
export function isTooMuchHere(thrown: unknown): boolean {
  if (thrown instanceof TooMuchHere) return true;
  // The evaluator's own error: its time is up.
  return (
    typeof thrown === "object" && thrown !== null && "code" in thrown && thrown.code === "D1012"
  );
}

/** Called by the evaluator after each node: doubling a text forty times must not end the process. */
function watch(
  ast: unknown,
  place: Place,
): (node: unknown, _input: unknown, _scope: unknown, result: unknown) => void {
  const asText = new Set(place === "here" ? concatenated(ast) : []);
  return (node, _input, _scope, result) => {
    if (typeof result === "string" && result.length > LIMITS.textChars) {
      throw new Error(
        `a text of ${result.length} characters, at most ${LIMITS.textChars} are handled`,
      );
    }
    if (typeof result === "object" && result !== null && asText.has(node)) throw new TooMuchHere();
  };
}

function tooDeep(): Result<never, Failure> {
  return invalid(`the expression is nested too deep, at most ${LIMITS.depth} levels are read`);
}

function invalid(message: string): Result<never, Failure> {
  return err(
    failure(
      "RULE_INVALID",
      message,
      "correct the expression; the language is JSONata: https://docs.jsonata.org",
    ),
  );
}
