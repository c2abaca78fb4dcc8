import type { ThreadIndex } from "@uncaged/workflow-gateway/contract";
import type { DescriptorEdge } from "@uncaged/workflow-protocol";
import { END, START } from "@uncaged/workflow-protocol";

/** Which nodes and edges of a graph a thread has used, and from which step on. */
export type Path = {
  /** Node → the first step there. */
  nodes: ReadonlyMap<string, number>;
  edges: ReadonlyMap<string, number>;
  /** Node → how many steps there in all. */
  visits: ReadonlyMap<string, number>;
  /** The node and the edge of each step; entry `i` is step `i + 1`. */
  steps: readonly { node: string; edge: string | null }[];
};

/** Reads the path from the columns of a thread. `ended`: it has come to its end. */
export function pathOf(
  { columns }: Pick<ThreadIndex, "columns">,
  edges: readonly DescriptorEdge[],
  ended: boolean,
): Path {
  const ids = new Map<string, string>();
  edges.forEach(({ from, to, condition }, at) => {
    const key = `${from}\n${to}\n${condition}`;
    if (!ids.has(key)) ids.set(key, `${at}`);
  });
  const nodes = new Map<string, number>([[START, 0]]);
  const used = new Map<string, number>();
  const visits = new Map<string, number>();
  let before: string = START;
  const steps = columns.role.map((role, at) => {
    const node = columns.group[at]?.name ?? role;
    const from = columns.from[at] ?? before;
    const edge = ids.get(`${from}\n${node}\n${columns.condition[at]}`) ?? null;
    before = node;
    if (!nodes.has(node)) nodes.set(node, at + 1);
    if (edge !== null && !used.has(edge)) used.set(edge, at + 1);
    visits.set(node, (visits.get(node) ?? 0) + 1);
    return { node, edge };
  });
  if (ended) {
    nodes.set(END, steps.length + 1);
    // Which rule ended it is in no step: with one candidate there is no doubt.
    const last = edges.flatMap(({ from, to }, at) =>
      from === before && to === END ? [`${at}`] : [],
    );
    if (last.length === 1 && last[0] !== undefined) used.set(last[0], steps.length + 1);
  }
  return { nodes, edges: used, visits, steps };
}
