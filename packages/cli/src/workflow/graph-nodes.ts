import {
  type DescriptorEdge,
  END,
  FALLBACK,
  membersIn,
  START,
  SUSPEND,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";

/** A state with its ways out, in the order in which they are tried. */
export type GraphNode = {
  name: string;
  edges: readonly GraphEdge[];
  /** Who plays side by side there; null: it is no group. */
  members: string | null;
  /** A person plays the role. */
  byPerson: boolean;
};

export type GraphEdge = {
  to: string;
  /** When it is taken; empty: it is the only way out. */
  label: string;
  /** Whether it leads back to an earlier state, or stays. */
  loops: boolean;
};

/** The graph from its start, each state before those it leads to; unreachable roles come last. */
export function graphNodes({ roles, graph }: WorkflowDescriptor): GraphNode[] {
  const members = membersByGroup(graph.edges);
  const order = new Set([START, ...reachedFrom(START, graph.edges), ...Object.keys(roles)]);
  for (const role of members.only) order.delete(role);
  order.delete(END);
  order.delete(SUSPEND);
  const names = [...order];
  return names.map((name, at) => {
    const edges = graph.edges.filter(({ from }) => from === name);
    return {
      name,
      members: members.of.get(name) ?? null,
      byPerson: Object.hasOwn(roles, name) && roles[name]?.person !== undefined,
      edges: edges.map((edge, place) => {
        const back = names.indexOf(edge.to);
        const label = labelOf(edge, { place, ways: edges.length });
        return { to: edge.to, label, loops: back >= 0 && back <= at };
      }),
    };
  });
}

/** In words, by group; and the roles that no rule leads to but as members. */
function membersByGroup(edges: readonly DescriptorEdge[]): {
  of: ReadonlyMap<string, string>;
  only: ReadonlySet<string>;
} {
  const of = new Map<string, string>();
  const only = new Set<string>();
  for (const { group } of edges) {
    if (group === undefined) continue;
    const roles = membersIn(group).map(({ role }) => role);
    const words =
      group.each === undefined ? roles.join(", ") : `${roles[0]} for each ${group.each}`;
    of.set(group.name, words);
    for (const role of roles) if (edges.every(({ to }) => to !== role)) only.add(role);
  }
  return { of, only };
}

/** Breadth first, without the start itself. */
function reachedFrom(start: string, edges: readonly DescriptorEdge[]): string[] {
  const reached = new Set([start]);
  // A set's iterator also returns what is added during the iteration.
  for (const from of reached)
    for (const edge of edges) if (edge.from === from) reached.add(edge.to);
  return [...reached].slice(1);
}

/** A rule that names no outcomes applies after a role that succeeded, never after one that failed. */
function labelOf(
  { condition, outcomes }: DescriptorEdge,
  { place, ways }: { place: number; ways: number },
): string {
  const when = condition === FALLBACK ? "" : condition;
  if (outcomes !== undefined) return [when, `on ${outcomes.join(", ")}`].filter(Boolean).join(" ");
  if (when !== "" || ways === 1) return when;
  return place > 0 ? "otherwise" : "on ok";
}
