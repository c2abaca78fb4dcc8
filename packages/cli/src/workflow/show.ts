import { openRootBundle } from "@uncaged/workflow-execute";
import {
  agentRoles,
  type BundleVersion,
  DEFAULT_MAX_STEPS,
  type DescriptorEdge,
  type DescriptorRole,
  err,
  type Failure,
  failure,
  ok,
  type RegistryEntry,
  type Result,
  START,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import {
  agentsInBundle,
  type RoleAgent,
  readSettings,
  roleAgents,
} from "@uncaged/workflow-register";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { printable, printableLine } from "../terminal/printable.ts";
import { renderTable } from "../terminal/render-table.ts";
import type { Style } from "../terminal/style.ts";
import { drawGraph } from "./draw-graph.ts";
import { mermaid } from "./mermaid.ts";
import { registered } from "./registered.ts";
import { limitsInWords, rulesInWords } from "./rules-in-words.ts";
import { versionTable } from "./version-table.ts";

const LINE = 100;

export type HowToShow = {
  graph: boolean;
  mermaid: boolean;
  /** Hash of an earlier version; left out: the current one. */
  version?: string;
};

export async function show(name: string, how: HowToShow, io: Io): Promise<Result<Output, Failure>> {
  const root = storageRoot(io.env);
  const entry = await registered(root, name);
  if (!entry.ok) return entry;
  const shown = versionOf(entry.value, how.version);
  if (shown === null) return err(noVersion(name, how.version));
  const { hash, sha256, timestamp } = shown;
  const bundle = await openRootBundle(root, hash, sha256);
  if (!bundle.ok) return bundle;
  const settings = await readSettings(root);
  if (!settings.ok) return settings;
  const { descriptor, externals, bytes } = bundle.value;
  const roles = agentRoles(descriptor);
  const agents = roleAgents({ name, roles, named: agentsInBundle(bytes) }, settings.value);
  const history = entry.value.history.map((version) => ({
    hash: version.hash,
    timestamp: version.timestamp,
  }));
  const document = {
    ...{ name, hash, timestamp, descriptor, history, sha256, externals },
    players: Object.fromEntries(agents),
  };
  if (how.mermaid) return ok({ document, verbatim: mermaid(descriptor) });
  if (how.graph) return ok({ document, human: (style) => drawGraph(descriptor, style) });
  return ok({
    document,
    human: (style) =>
      text({ name, descriptor, agents, entry: entry.value }, { style, nowMs: io.now() }),
  });
}

function versionOf(entry: RegistryEntry, hash: string | undefined): BundleVersion | null {
  if (hash === undefined) return entry;
  return [entry, ...entry.history].find((version) => version.hash === hash) ?? null;
}

function noVersion(name: string, hash: string | undefined): Failure {
  return failure(
    "WORKFLOW_NO_VERSION",
    `${name} has no version ${hash}`,
    `see its versions with: uncaged-workflow workflow history ${name}`,
  );
}

type RoleAgents = ReadonlyMap<string, RoleAgent>;
type Shown = {
  name: string;
  descriptor: WorkflowDescriptor;
  agents: RoleAgents;
  entry: RegistryEntry;
};

function text(
  { name, descriptor, agents, entry }: Shown,
  view: { style: Style; nowMs: number },
): string {
  const { bold } = view.style;
  return [
    `${bold(name)}: ${printable(descriptor.description)}\n`,
    roleTable(descriptor, agents),
    limitLine(descriptor),
    edgeTable(descriptor.graph.edges, view.style),
    versionTable([entry, ...entry.history], view),
  ].join("\n");
}

function roleTable({ roles }: WorkflowDescriptor, agents: RoleAgents): string {
  const rows = Object.entries(roles);
  const rules = rows.some(([, role]) => rulesInWords(role).length > 0);
  return renderTable(rows, [
    { title: "ROLE", cell: ([role]) => role },
    {
      title: "PLAYED BY",
      cell: ([name, role]) => (role.person ? "a person" : agentCell(agents.get(name))),
    },
    ...(rules ? [{ title: "HELD TO", cell: ruleCell }] : []),
    { title: "WHAT IT DOES", cell: ([, { description }]) => printableLine(description, LINE) },
  ]);
}

/** A star, as `agent list` shows at the default agent. */
function agentCell(agent: RoleAgent | undefined): string {
  if (agent === undefined || agent.agent === null)
    return agent?.by === "default" ? "nobody yet" : "the workflow's own";
  const why = { bindings: " (bound here)", workflow: "", default: " *" }[agent.by];
  return `${printableLine(agent.agent, LINE)}${why}`;
}

function ruleCell([, role]: readonly [string, DescriptorRole]): string {
  return printableLine(rulesInWords(role).join("; "), LINE);
}

/** The limits of the whole thread; there is always one on steps. */
function limitLine({ limits }: WorkflowDescriptor): string {
  return `a thread: ${limitsInWords({ steps: DEFAULT_MAX_STEPS, ...limits }).join("; ")}\n`;
}

/** The graph: for each role, its rules in the order in which they are tried. */
function edgeTable(edges: readonly DescriptorEdge[], { dim }: Style): string {
  return renderTable(edges, [
    { title: "FROM", cell: ({ from }) => from },
    // A role that failed is matched only against rules that name its outcome.
    {
      title: "AFTER",
      cell: ({ from, outcomes }) => (from === START ? "" : (outcomes ?? ["ok"]).join(", ")),
    },
    { title: "CONDITION", cell: ({ condition }) => printableLine(condition, LINE) },
    { title: "TO", cell: ({ to }) => to },
    {
      title: "WHEN",
      cell: ({ when }) => (when === null ? "no rule above holds" : printableLine(when, LINE)),
      paint: dim,
    },
  ]);
}
