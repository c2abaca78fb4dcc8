/** A node of a parsed expression. The parser's own type leaves out most of what it makes, so the
 *  shape is read here with care instead of trusted. */
export type AstNode = { readonly type: string; readonly [key: string]: unknown };

/** Every node of the tree, a parent before its children. */
export function* astNodes(root: unknown): Generator<AstNode> {
  const seen = new Set<object>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (isAstNode(value)) yield value;
    open.push(...Object.values(value).reverse());
  }
}

export function isAstNode(value: unknown): value is AstNode {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
  );
}
