/** A workflow written as YAML, compiled to a bundle like any other: one module, the same bytes for the same file on any
 *  machine. The module holds the workflow as data; what runs it is the runtime, which stays outside as always.
 *
 *  1. Every fault is told at once, each with its line.
 *  2. What the bundle holds is a JSON text, so a name such as `__proto__` in it is a name. */
import {
  END,
  err,
  type Failure,
  ok,
  type Result,
  START,
  SUSPEND,
  type WorkflowData,
} from "@uncaged/workflow-protocol";
import { collectFaults } from "./faults.ts";
import { rootItem } from "./item.ts";
import { DATA_AFTER, DATA_BEFORE } from "./module-text.ts";
import { parseText } from "./parse-text.ts";
import { readWorkflow } from "./read-workflow.ts";
import type { YamlChecks } from "./yaml-checks.ts";

export type CompiledYaml = {
  /** The bundle. */
  code: string;
  /** For people: what is allowed and yet may be a mistake. */
  warnings: string[];
  /** Names that have to be in `config.agents` when it runs. */
  agents: WorkflowData["agents"];
};

/** `YAML_INVALID`, with every fault of the text; `place` is how the message names the file. */
export function compileYaml(
  text: string,
  { place, checks }: { place: string; checks: YamlChecks },
): Result<CompiledYaml, Failure> {
  // What editors put in front, and the ends of lines of some.
  const source = text.replace(/^\uFEFF+/, "").replace(/\r(?!\n)/g, "\n");
  const faults = collectFaults({ text: source, place });
  const root = parseText(source, faults, (tried) => weight(tried, { place, checks }));
  const data = root === null ? null : readWorkflow(rootItem(root, faults), checks);
  const failure = faults.failure();
  if (failure !== null) return err(failure);
  if (data === null) throw new Error("a text that cannot be read has a fault");
  return ok({ code: moduleOf(data), warnings: unreached(data), agents: data.agents });
}

/** How many faults a text has that the parser can read. */
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
  // A set also gives what is added while it is gone through.
  for (const from of reached) for (const { role } of table[from] ?? []) reached.add(role);
  return Object.keys(roles)
    .filter((role) => !reached.has(role))
    .map((role) => `no rule leads to the role ${role}`);
}
