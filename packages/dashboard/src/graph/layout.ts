import { layout as dagreLayout, Graph } from "@dagrejs/dagre";
import type { GraphModel } from "./model.ts";

export type Point = { x: number; y: number };

/** Where everything stands: top left corners of nodes, the bends of edges, the middles of their labels. */
export type Layout = {
  width: number;
  height: number;
  nodes: { readonly [id: string]: Point };
  edges: { readonly [id: string]: { points: readonly Point[]; label: Point } };
};

const LABEL_HEIGHT = 16;
const CHAR_WIDTH = 6.2;
/** Longer labels are cut when they are drawn. */
export const LABEL_CHARS = 26;

/** Deterministic: the same model stands the same. */
export function layoutOf({ nodes, edges }: GraphModel): Layout {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({
    rankdir: "TB",
    nodesep: 36,
    edgesep: 18,
    ranksep: 44,
    marginx: 12,
    marginy: 12,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of nodes) graph.setNode(inner(id), { width, height });
  for (const { id, from, to, label } of edges) {
    if (from === to) continue;
    const width = Math.min(label.length, LABEL_CHARS) * CHAR_WIDTH;
    const size = label === "" ? { width: 0, height: 0 } : { width, height: LABEL_HEIGHT };
    graph.setEdge(inner(from), inner(to), { ...size, labelpos: "c" }, id);
  }
  dagreLayout(graph);
  const size = graph.graph();
  const loops = new Map<string, number>();
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    nodes: Object.fromEntries(
      nodes.map(({ id, width, height }) => {
        const { x = 0, y = 0 } = graph.node(inner(id));
        return [id, { x: x - width / 2, y: y - height / 2 }];
      }),
    ),
    edges: Object.fromEntries(
      edges.map(({ id, from, to }) => {
        if (from === to) {
          const before = loops.get(from) ?? 0;
          loops.set(from, before + 1);
          return [id, loopAt(graph.node(inner(from)), before)];
        }
        const { points = [], x, y } = graph.edge(inner(from), inner(to), id);
        const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
        return [id, { points, label: { x: x ?? middle.x, y: y ?? middle.y } }];
      }),
    ),
  };
}

/** The library keeps nodes as properties of plain objects, beside some of its own. */
const inner = (node: string): string => `node ${node}`;

/** From the right side of a node back to it; several stand around each other. */
function loopAt(
  {
    x = 0,
    y = 0,
    width = 0,
    height = 0,
  }: { x?: number; y?: number; width?: number; height?: number },
  before: number,
): { points: readonly Point[]; label: Point } {
  const side = x + width / 2;
  const out = side + 26 + before * 14;
  const half = Math.max(6, height / 4) + before * 3;
  const points = [
    { x: side, y: y - half },
    { x: out, y: y - half },
    { x: out, y: y + half },
    { x: side, y: y + half },
  ];
  return { points, label: { x: out, y } };
}
