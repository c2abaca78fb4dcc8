import { type AstNode, isAstNode } from "./ast.ts";
import { parseExpression } from "./expression.ts";

/** What is allowed but will get slow in a long thread, each a sentence. Empty for a broken rule. */
export function checkRuleWarnings(when: string): string[] {
  const parsed = parseExpression(when);
  if (!parsed.ok) return [];
  const warnings = new Set<string>();
  collect(parsed.value.ast, { repeated: false, atRoot: true }, warnings);
  return [...warnings];
}

/** `repeated`: evaluated once per item of something. `atRoot`: bare names are those of the root. */
type Place = { repeated: boolean; atRoot: boolean };

function collect(value: unknown, place: Place, warnings: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, place, warnings);
    return;
  }
  if (!isAstNode(value)) return;
}
