/** JSONata as rules and edge prompts use it: parsed once, checked, evaluated within limits.
 *
 *  1. Pure: no clock, no randomness, no text run as code, no change of what it reads.
 *  2. Bounded: time, depth, length of sequences and texts; regular expressions are linear. */
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import jsonata from "jsonata";
import { faultsIn } from "./expression-faults.ts";
import { LIMITS } from "./limits.ts";
import { LINEAR_REGEX_ENGINE } from "./linear-regex.ts";

export type Expression = {
  /** The parsed tree, for checks. */
  readonly ast: unknown;
  /** Rejects with the evaluator's own error; `causeOf` puts it into words. */
  evaluate(root: object): Promise<unknown>;
};

/** The evaluator, with the symbols its `assign` also takes. */
type Evaluator = {
  ast(): unknown;
  evaluate(root: object): Promise<unknown>;
  assign(name: string | symbol, value: unknown): void;
  registerFunction(
    name: string,
    implementation: (text: string | undefined, width: number, char?: string) => string | undefined,
    signature: string,
  ): void;
};

/** Parses and checks; the failure's code is `RULE_INVALID`. */
export function parseExpression(text: string): Result<Expression, Failure> {
  if (text.length > LIMITS.expressionChars) {
    return invalid(
      `the expression has ${text.length} characters, at most ${LIMITS.expressionChars} are read`,
    );
  }
  let evaluator: Evaluator;
  try {
    evaluator = jsonata(text, {
      timeout: LIMITS.timeoutMs,
      stack: LIMITS.depth,
      sequence: LIMITS.items,
      RegexEngine: LINEAR_REGEX_ENGINE,
    });
  } catch (thrown) {
    return invalid(`not a JSONata expression: ${causeOf(thrown)}`);
  }
  const [fault] = faultsIn(evaluator.ast());
  if (fault !== undefined) return invalid(fault);
  evaluator.assign(Symbol.for("jsonata.__evaluate_exit"), refuseHugeText);
  evaluator.registerFunction("pad", pad, "<s-ns?:s>");
  return ok({ ast: evaluator.ast(), evaluate: (root) => evaluator.evaluate(root) });
}

/** What the evaluator threw, as a sentence with the place in the expression. */
export function causeOf(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return String(thrown);
  const message = "message" in thrown ? String(thrown.message) : "it failed without a message";
  const place =
    "position" in thrown && typeof thrown.position === "number" ? thrown.position : null;
  return place === null ? message : `${message} (at character ${place})`;
}

/** Called by the evaluator after each node: doubling a text forty times must not end the process. */
function refuseHugeText(_node: unknown, _input: unknown, _scope: unknown, result: unknown): void {
  if (typeof result !== "string" || result.length <= LIMITS.textChars) return;
  throw new Error(`a text of ${result.length} characters, at most ${LIMITS.textChars} are handled`);
}

/** `$pad` with a bound: the original allocates whatever width it is given. */
function pad(text: string | undefined, width: number, char = " "): string | undefined {
  if (text === undefined) return undefined;
  if (Math.abs(width) > LIMITS.padWidth) {
    throw new Error(`$pad to a width of ${width}, at most ${LIMITS.padWidth} is allowed`);
  }
  const missing = Math.abs(Math.trunc(width)) - [...text].length;
  if (missing <= 0) return text;
  const unit = [...(char === "" ? " " : char)];
  const padding = Array.from({ length: missing }, (_, at) => unit[at % unit.length]).join("");
  return width > 0 ? text + padding : padding + text;
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
