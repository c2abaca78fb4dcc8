import "@xyflow/react/dist/base.css";
import {
  BaseEdge,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
  ReactFlowProvider,
} from "@xyflow/react";
import { memo, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { oneLine } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { useKeys } from "../ui/keys.ts";
import { Loading } from "../ui/notice.tsx";
import { layOut } from "./lay-out.ts";
import { LABEL_CHARS, type Layout, type Point } from "./layout.ts";
import {
  type Light,
  LightsContext,
  makeLights,
  type Shown,
  useEdgeLight,
  useNodeLight,
  useVisits,
} from "./lights.ts";
import type { GraphEdge, GraphModel, GraphNode } from "./model.ts";

type FlowNode = Node<{ node: GraphNode }>;
type FlowEdge = Edge<{ edge: GraphEdge; points: readonly Point[]; label: Point }>;

/** Closer than this a role's name can be read. */
const READABLE = 0.7;
/** All of it, below the buttons. */
const OVERVIEW = { maxZoom: 1, padding: { top: "40px", x: 0.06, bottom: 0.06 } } as const;

/** A graph of roles. What is lit comes by `shown`; nodes keep their identity while it changes. `focus`: the node that
 *  the camera keeps in sight. */
export function GraphView({
  model,
  shown,
  focus,
  onChoose,
}: {
  model: GraphModel;
  shown: Shown;
  focus: string | null;
  onChoose?: (node: string) => void;
}) {
  const layout = useLayout(model);
  const lights = useMemo(makeLights, []);
  useEffect(() => lights.set(shown), [lights, shown]);
  if (layout === null) return <Loading />;
  return (
    <LightsContext value={lights}>
      <ReactFlowProvider>
        <Drawn
          key={layout.key}
          model={model}
          layout={layout.layout}
          focus={focus}
          onChoose={onChoose}
        />
      </ReactFlowProvider>
    </LightsContext>
  );
}

function useLayout(model: GraphModel): { key: number; layout: Layout } | null {
  const [laid, setLaid] = useState<{ key: number; layout: Layout; model: GraphModel } | null>(null);
  const count = useRef(0);
  useEffect(() => {
    let current = true;
    void layOut(model).then((layout) => {
      if (!current) return;
      count.current += 1;
      setLaid({ key: count.current, layout, model });
    });
    return () => {
      current = false;
    };
  }, [model]);
  // A layout of another model has other nodes.
  return laid?.model === model ? laid : null;
}

const NODE_TYPES = { part: memo(PartNode) };
const EDGE_TYPES = { rule: memo(RuleEdge) };

function Drawn({
  model,
  layout,
  focus,
  onChoose,
}: {
  model: GraphModel;
  layout: Layout;
  focus: string | null;
  onChoose: ((node: string) => void) | undefined;
}) {
  const nodes = useMemo(() => flowNodes(model, layout), [model, layout]);
  const edges = useMemo(() => flowEdges(model, layout), [model, layout]);
  const flow = useRef<ReactFlowInstance<FlowNode, FlowEdge> | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const overview = useCallback(() => void flow.current?.fitView(OVERVIEW), []);
  const whole = useRef(true);
  const look = useCallback(() => {
    const size = box.current?.getBoundingClientRect();
    const target = focus === null ? undefined : nodes.find(({ id }) => id === focus);
    if (flow.current === null || size === undefined) return;
    const fits = Math.min(size.width / layout.width, size.height / layout.height) >= READABLE;
    if (target === undefined || fits) return overview();
    centre(flow.current, size, target);
  }, [focus, nodes, layout, overview]);
  useEffect(() => {
    if (!whole.current) look();
  }, [look]);
  useKeys({
    o: () => {
      whole.current = !whole.current;
      if (whole.current) overview();
      else look();
    },
  });
  return (
    <div ref={box} className="relative h-full min-h-40 bg-ground">
      <ReactFlow<FlowNode, FlowEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={onChoose !== undefined}
        edgesFocusable={false}
        elementsSelectable={onChoose !== undefined}
        minZoom={0.1}
        maxZoom={2}
        onInit={(instance) => {
          flow.current = instance;
          whole.current = false;
          look();
        }}
        onNodeClick={(_event, node) => onChoose?.(node.id)}
        onSelectionChange={({ nodes: [node] }) => node !== undefined && onChoose?.(node.id)}
        proOptions={{ hideAttribution: true }}
        aria-label="Graph of the workflow"
      />
      <div className="absolute top-2 right-2 flex gap-1">
        <Button size="small" onClick={() => void flow.current?.zoomOut()} aria-label="Smaller">
          −
        </Button>
        <Button size="small" onClick={() => void flow.current?.zoomIn()} aria-label="Larger">
          +
        </Button>
        <Button size="small" onClick={overview}>
          All
        </Button>
      </div>
    </div>
  );
}

/** Brings a node to the middle, unless it is in sight already and can be read. */
function centre(
  flow: ReactFlowInstance<FlowNode, FlowEdge>,
  size: { width: number; height: number },
  { position, width = 0, height = 0 }: FlowNode,
): void {
  const { x, y, zoom } = flow.getViewport();
  const left = position.x * zoom + x;
  const top = position.y * zoom + y;
  const inSight =
    left >= 0 &&
    top >= 0 &&
    left + width * zoom <= size.width &&
    top + height * zoom <= size.height;
  if (inSight && zoom >= READABLE) return;
  void flow.setCenter(position.x + width / 2, position.y + height / 2, {
    zoom: Math.max(zoom, READABLE),
  });
}

function flowNodes({ nodes }: GraphModel, layout: Layout): FlowNode[] {
  return nodes.map((node) => ({
    id: node.id,
    type: "part",
    position: layout.nodes[node.id] ?? { x: 0, y: 0 },
    width: node.width,
    height: node.height,
    data: { node },
    ariaLabel: `${node.kind} ${node.title}`,
  }));
}

function flowEdges({ edges }: GraphModel, layout: Layout): FlowEdge[] {
  return edges.flatMap((edge) => {
    const place = layout.edges[edge.id];
    if (place === undefined) return [];
    return [
      {
        id: edge.id,
        source: edge.from,
        target: edge.to,
        type: "rule",
        data: { edge, ...place },
        ariaLabel: `${edge.from} to ${edge.to}${edge.label === "" ? "" : `, ${edge.label}`}`,
      },
    ];
  });
}

const SHAPES: { readonly [kind in GraphNode["kind"]]: string } = {
  start: "rounded-full",
  end: "rounded-full",
  ask: "rounded-full border-dashed",
  role: "rounded-md",
  person: "rounded-md border-dashed",
  group: "rounded-md border-double border-[3px]",
};

const NODE_LIGHTS: { readonly [light in Light]: string } = {
  off: "border-line-strong bg-surface text-dim",
  lit: "border-accent bg-surface text-ink",
  here: "border-accent bg-tint text-ink ring-2 ring-accent",
  now: "border-accent bg-tint text-ink pulsing-ring",
};

function PartNode({ id, data: { node } }: NodeProps<FlowNode>) {
  const light = useNodeLight(id);
  const visits = useVisits(id);
  const round = node.kind === "start" || node.kind === "end" || node.kind === "ask";
  return (
    <div
      data-light={light}
      className={`flex h-full w-full flex-col justify-center border px-2 ${SHAPES[node.kind]} ${NODE_LIGHTS[light]}`}
      title={node.more === "" ? undefined : oneLine(node.more, 300)}
    >
      <Handle type="target" position={Position.Top} className="invisible!" />
      <span className={`flex items-center gap-1 ${round ? "justify-center" : ""}`}>
        {node.kind === "person" && <span aria-hidden="true">◍</span>}
        <span className="truncate font-medium text-sm">{oneLine(node.title, 60)}</span>
        {!round && visits > 1 && <span className="hint ml-auto tabular">×{visits}</span>}
      </span>
      {!round && <span className="hint truncate">{oneLine(node.more, 80)}</span>}
      <Handle type="source" position={Position.Bottom} className="invisible!" />
    </div>
  );
}

function RuleEdge({ id, data }: EdgeProps<FlowEdge>) {
  const light = useEdgeLight(id);
  if (data === undefined) return null;
  const { edge, points, label } = data;
  const lit = light !== "off";
  const colour = lit ? "var(--accent)" : edge.fault ? "var(--bad)" : "var(--line-strong)";
  return (
    <>
      <defs>
        <marker
          id={`arrow-${id}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto"
        >
          <path d="M0 0 8 4 0 8z" fill={colour} />
        </marker>
      </defs>
      <BaseEdge
        path={smooth(points)}
        markerEnd={`url(#arrow-${id})`}
        interactionWidth={0}
        style={{
          stroke: colour,
          strokeWidth: light === "here" ? 3 : lit ? 2 : 1,
          ...(edge.fault ? { strokeDasharray: "4 3" } : {}),
        }}
      />
      {edge.label !== "" && (
        <EdgeLabelRenderer>
          <span
            title={oneLine(edge.label, 300)}
            className={`absolute rounded-sm bg-ground px-0.5 text-[10.5px] leading-[14px] ${lit ? "text-accent" : "text-dim"}`}
            style={{ transform: `translate(-50%, -50%) translate(${label.x}px, ${label.y}px)` }}
          >
            {oneLine(edge.label, LABEL_CHARS)}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

/** A path through the bends, rounded at each. */
export function smooth(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const parts = [`M${first.x} ${first.y}`];
  rest.forEach((point, at) => {
    const next = rest[at + 1];
    if (next === undefined) parts.push(`L${point.x} ${point.y}`);
    else {
      const x = (point.x + next.x) / 2;
      const y = (point.y + next.y) / 2;
      parts.push(`Q${point.x} ${point.y} ${x} ${y}`);
    }
  });
  return parts.join("");
}
