/** A text as something to draw, and where its faults stand. */

import type { Outline, OutlineEdge, Span } from "@uncaged/workflow-editor";
import type { DryRunResult, TextFault } from "@uncaged/workflow-gateway/contract";
import {
  type DescriptorEdge,
  END,
  type Group,
  START,
  SUSPEND,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import type { Path } from "../graph/path.ts";

/** The same shape as a compiled workflow, of a text that may not compile yet. */
export function drawable(outline: Outline): Pick<WorkflowDescriptor, "roles" | "graph"> {
  const roles = outline.roles.map(({ name, goal, player }) => [
    name,
    {
      description: goal.trim().split("\n", 1)[0] ?? "",
      systemPrompt: "",
      schema: {},
      ...(player.kind === "person" ? { person: {} } : {}),
    },
  ]);
  return { roles: Object.fromEntries(roles), graph: { edges: outline.edges.map(edgeOf) } };
}

function edgeOf(edge: OutlineEdge): DescriptorEdge {
  const label = edge.answers?.join(" or ") ?? edge.name ?? edge.when;
  return {
    from: named(edge.from),
    to: named(edge.to),
    condition: edge.resumes ? "resumed" : (label ?? "FALLBACK"),
    when: label === null && !edge.resumes ? null : "",
    prompt: edge.prompt,
    location: null,
    ...(edge.outcomes === null ? {} : { outcomes: edge.outcomes as DescriptorEdge["outcomes"] }),
    ...(edge.members === null ? {} : { group: groupOf(edge.to, edge.members) }),
  } as DescriptorEdge;
}

function groupOf(name: string, { each, roles }: NonNullable<OutlineEdge["members"]>): Group {
  return each === null
    ? { name, members: roles.map((role) => ({ role })) }
    : { name, each, role: roles[0] ?? "" };
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ["$START", START],
  ["$END", END],
  ["$SUSPEND", SUSPEND],
]);

function named(name: string): string {
  return NAMES.get(name) ?? name;
}

/** The role that a fault is about: the one in whose lines, or in whose rules, it stands; null: none. */
export function roleOfFault(outline: Outline, { span }: TextFault): string | null {
  if (span === null) return null;
  const isIn = ({ start, end }: Span) => span.start >= start && span.start <= end;
  const role = outline.roles.find((each) => isIn(each.span))?.name;
  if (role !== undefined) return role;
  const edge = outline.edges.find((each) => isIn(each.span));
  return edge === undefined || edge.from === "$START" ? null : edge.from;
}

/** The path of a trial on the graph of the same descriptor, and the rules that it did not take. */
export function trialPath(
  { graph }: Pick<WorkflowDescriptor, "graph">,
  { route }: Pick<DryRunResult, "route">,
): { path: Path; untaken: DescriptorEdge[] } {
  const nodes = new Map<string, number>([[START, 0]]);
  const edges = new Map<string, number>();
  const visits = new Map<string, number>();
  const steps = route.map(({ from, to, rule, group }, at) => {
    const node = group?.name ?? to;
    const places = graph.edges.flatMap((edge, index) => (edge.from === from ? [index] : []));
    const place = rule === null ? undefined : places[rule];
    const edge = place === undefined ? null : `${place}`;
    if (!nodes.has(node)) nodes.set(node, at + 1);
    if (edge !== null && !edges.has(edge)) edges.set(edge, at + 1);
    visits.set(node, (visits.get(node) ?? 0) + 1);
    return { node, edge };
  });
  const untaken = graph.edges.filter((_edge, at) => !edges.has(`${at}`));
  return { path: { nodes, edges, visits, steps }, untaken };
}
