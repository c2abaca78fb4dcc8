/** Compiles a workflow written as YAML to a bundle like any other: one module, with the same bytes for the same file
 *  on any machine. The module contains the workflow as data; the runtime, which stays external as always, executes
 *  it.
 *
 *  1. Every fault is reported at once, each with its line.
 *  2. The bundle contains JSON text, so a name such as `__proto__` in it is only a name. */
import {
  END,
  err,
  type Failure,
  type GroupMember,
  membersIn,
  ok,
  type Result,
  START,
  SUSPEND,
  type Transition,
  targetOf,
  type WorkflowData,
} from "@uncaged/workflow-protocol";
import { collectFaults, type Span } from "./faults.ts";
import { rootItem } from "./item.ts";
import { DATA_AFTER, DATA_BEFORE } from "./module-text.ts";
import { parseText } from "./parse-text.ts";
import { readWorkflow } from "./read-workflow.ts";
import type { YamlChecks } from "./yaml-checks.ts";
import type { YamlSource } from "./yaml-source.ts";

export type CompiledYaml = {
  /** The bundle. */
  code: string;
  /** For people: what is allowed but may be a mistake. */
  warnings: string[];
  /** Names that must be in `config.agents` when it runs. */
  agents: WorkflowData["agents"];
  source: YamlSource;
};

/** `YAML_INVALID`, with every fault of the text; `place` is the file's name in messages. */
export function compileYaml(
  text: string,
  { place, checks }: { place: string; checks: YamlChecks },
): Result<CompiledYaml, Failure> {
  const { source, faults, read } = readYaml(text, { place, checks });
  const failure = faults.failure();
  if (failure !== null) return err(failure);
  if (read === null) throw new Error("a text that cannot be read has a fault");
  const { data, written } = read;
  return ok({
    code: moduleOf(data),
    warnings: unreached(data),
    agents: data.agents,
    source: { text: source, place, written },
  });
}

/** Every fault of a text, each with its place in the text without a byte order mark; empty: it can be compiled. */
export function yamlFaults(text: string, checks: YamlChecks): { span: Span; message: string }[] {
  return readYaml(text, { place: "", checks }).faults.all();
}

function readYaml(text: string, { place, checks }: { place: string; checks: YamlChecks }) {
  // A byte order mark, and the line ends of some editors.
  const source = text.replace(/^\uFEFF+/, "").replace(/\r(?!\n)/g, "\n");
  const faults = collectFaults({ text: source, place });
  const root = parseText(source, faults, (tried) => weight(tried, { place, checks }));
  const read = root === null ? null : readWorkflow(rootItem(root, faults), checks);
  return { source, faults, read };
}

/** Number of faults in a text that the parser can read. */
function weight(text: string, { place, checks }: { place: string; checks: YamlChecks }): number {
  const faults = collectFaults({ text, place });
  const root = parseText(text, faults, () => 0);
  if (root !== null) readWorkflow(rootItem(root, faults), checks);
  return faults.count;
}

function moduleOf(data: WorkflowData): string {
  const json = JSON.stringify(JSON.stringify(data));
  return `${DATA_BEFORE}${json}${DATA_AFTER}`;
}

function unreached({ roles, table }: WorkflowData): string[] {
  const reached = new Set<string>([START, END, SUSPEND]);
  // A set's iterator also returns what is added during the iteration.
  for (const from of reached) {
    for (const transition of table[from] ?? []) {
      reached.add(targetOf(transition));
      for (const { role } of membersOf(transition)) reached.add(role);
    }
  }
  return Object.keys(roles)
    .filter((role) => !reached.has(role))
    .map((role) => `no rule leads to the role ${role}`);
}

function membersOf({ group }: Transition): readonly GroupMember[] {
  return group === undefined ? [] : membersIn(group);
}
