import {
  type DescriptorEdge,
  END,
  membersIn,
  START,
  SUSPEND,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";

/** A workflow as things to draw. */
export type GraphModel = { nodes: readonly GraphNode[]; edges: readonly GraphEdge[] };

export type GraphNode = {
  id: string;
  kind: "start" | "end" | "ask" | "role" | "person" | "group";
  title: string;
  /** One line below it. */
  more: string;
  width: number;
  height: number;
};

export type GraphEdge = {
  id: string;
  from: string;
  to: string;
  /** The name of the condition, and outcomes; empty: always. */
  label: string;
  /** It is tried for faults or limits only. */
  fault: boolean;
};

const WIDTH = 176;
const HEIGHT = 48;

export function graphOf(descriptor: Pick<WorkflowDescriptor, "roles" | "graph">): GraphModel {
  const { roles, graph } = descriptor;
  const groups = new Map(graph.edges.flatMap(({ group }) => (group ? [[group.name, group]] : [])));
  const targets = new Set(graph.edges.map(({ to }) => to));
  const nodes: GraphNode[] = [
    { id: START, kind: "start", title: "start", more: "", width: 64, height: 30 },
  ];
  for (const [id, role] of Object.entries(roles)) {
    const kind = role.person === undefined ? "role" : "person";
    nodes.push({ id, kind, title: id, more: role.description, width: WIDTH, height: HEIGHT });
  }
  for (const [id, group] of groups) {
    const members = membersIn(group).map(({ role }) => role);
    const more = group.each === undefined ? members.join(", ") : `each: ${members.join(", ")}`;
    nodes.push({ id, kind: "group", title: id, more, width: WIDTH + 24, height: HEIGHT + 20 });
  }
  if (targets.has(SUSPEND)) {
    nodes.push({
      id: SUSPEND,
      kind: "ask",
      title: "asks a person",
      more: "",
      width: 112,
      height: 30,
    });
  }
  nodes.push({ id: END, kind: "end", title: "end", more: "", width: 64, height: 30 });
  // Old or odd workflows may lead to what they do not declare: it is drawn, so that nothing is missing.
  const known = new Set(nodes.map(({ id }) => id));
  for (const id of graph.edges.flatMap(({ from, to }) => [from, to])) {
    if (known.has(id)) continue;
    known.add(id);
    nodes.push({ id, kind: "role", title: id, more: "not declared", width: WIDTH, height: HEIGHT });
  }
  // A role that only plays as a member of a group stands in the group's box.
  const inside = new Set(
    [...groups.values()].flatMap((group) => membersIn(group).map((m) => m.role)),
  );
  const linked = new Set(graph.edges.flatMap(({ from, to }) => [from, to]));
  return {
    nodes: nodes.filter(({ id }) => linked.has(id) || !inside.has(id)),
    edges: graph.edges.map((edge, at) => ({
      id: `${at}`,
      from: edge.from,
      to: edge.to,
      label: labelOf(edge),
      fault: edge.outcomes !== undefined && !edge.outcomes.includes("ok"),
    })),
  };
}

function labelOf({ condition, when, outcomes }: DescriptorEdge): string {
  const name = when === null && condition === "FALLBACK" ? "" : condition;
  const after = outcomes === undefined ? "" : outcomes.join(", ");
  return [name, after].filter((part) => part !== "").join(" · ");
}
