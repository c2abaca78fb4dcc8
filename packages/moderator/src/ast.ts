/** A node of a parsed expression. The parser's own type omits most of what it creates, so its shape is checked here
 *  instead of trusted. */
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

/** Maximum nesting of nodes. Parts that the parser put in two places count once. */
export function nestingOf(root: unknown): number {
  const depths = new Map<object, number>();
  const entered = new Set<object>();
  const open = isObject(root) ? [root] : [];
  for (let value = open.at(-1); value !== undefined; value = open.at(-1)) {
    const children = Object.values(value).filter(isObject);
    if (entered.has(value)) {
      const below = children.reduce((most, child) => Math.max(most, depths.get(child) ?? 0), 0);
      depths.set(value, below + (isAstNode(value) ? 1 : 0));
      open.pop();
    } else {
      entered.add(value);
      for (const child of children) if (!entered.has(child)) open.push(child);
    }
  }
  return isObject(root) ? (depths.get(root) ?? 0) : 0;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
