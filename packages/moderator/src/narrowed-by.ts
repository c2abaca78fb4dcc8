/** Which steps a filter leaves: `steps[role = "coder"]` has those of the coder alone. */
import { type AstNode, isAstNode } from "./ast.ts";
import { ofRoles, type Shape } from "./shape.ts";

export function narrowedBy(filter: unknown, shape: Shape): Shape {
  const roles = rolesIn(filter);
  return roles === null ? shape : ofRoles(shape, roles);
}

/** Roles that the filter lets through at most; null: it may let any through. */
function rolesIn(filter: unknown): ReadonlySet<string> | null {
  if (!isAstNode(filter)) return null;
  const { lhs, rhs } = filter;
  switch (filter.type === "binary" ? filter.value : null) {
    case "=": {
      const other = isRole(lhs) ? rhs : isRole(rhs) ? lhs : null;
      return textsIn([other]);
    }
    case "in":
      return isRole(lhs) && isAstNode(rhs) && rhs.type === "unary" && Array.isArray(rhs.expressions)
        ? textsIn(rhs.expressions)
        : null;
    case "and": {
      const [left, right] = [rolesIn(lhs), rolesIn(rhs)];
      return left !== null && right !== null
        ? new Set([...left].filter((role) => right.has(role)))
        : (left ?? right);
    }
    case "or": {
      const [left, right] = [rolesIn(lhs), rolesIn(rhs)];
      return left !== null && right !== null ? new Set([...left, ...right]) : null;
    }
    default:
      return null;
  }
}

/** The field `role` of the item itself. */
function isRole(node: unknown): boolean {
  if (!isAstNode(node) || node.type !== "path" || !Array.isArray(node.steps)) return false;
  const [step, ...more]: unknown[] = node.steps;
  return (
    more.length === 0 && isPlainName(step) && step.value === "role" && node.group === undefined
  );
}

function isPlainName(step: unknown): step is AstNode {
  return isAstNode(step) && step.type === "name" && step.stages === undefined;
}

function textsIn(nodes: readonly unknown[]): ReadonlySet<string> | null {
  const texts = nodes.flatMap((node) =>
    isAstNode(node) && node.type === "string" && typeof node.value === "string" ? [node.value] : [],
  );
  return texts.length === nodes.length ? new Set(texts) : null;
}
