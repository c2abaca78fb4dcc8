/** Dry runs with made-up results, in which roles take their answers in turn, so that every edge is taken if it can be. */
import { type DryRun, dryRun, parseStubs } from "@uncaged/workflow-execute";
import {
  type DescriptorEdge,
  type JsonObject,
  type JsonValue,
  toJsonObject,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";

const MOST_STEPS = 40;

export type Walked = {
  /** Rules that failed. */
  failures: string[];
  /** Of steps that ended well. */
  untaken: DescriptorEdge[];
  /** How many dry runs there were. */
  ends: number;
};

export async function walk(descriptor: WorkflowDescriptor): Promise<Walked> {
  const turns = Object.fromEntries(
    Object.entries(descriptor.roles).map(([role, { schema }]) => [role, samplesOf(schema)]),
  );
  const most = Math.max(1, ...Object.values(turns).map((each) => each.length));
  const taken = new Set<DescriptorEdge>();
  const failures = new Set<string>();
  // Each role begins with another of its answers; and a role that gives the same one for ever shows what loops do.
  for (let shift = 0; shift < most; shift += 1) {
    const stubs = Object.fromEntries(
      Object.entries(turns).map(([role, samples]) => [role, inTurn(samples, shift)]),
    );
    const parsed = await parseStubs(JSON.stringify(stubs), "made-up results");
    if (!parsed.ok) continue;
    const run = await dryRun(descriptor, {
      stubs: parsed.value,
      prompt: "a trial",
      maxSteps: MOST_STEPS,
    });
    for (const edge of edgesOf(descriptor, run)) taken.add(edge);
    if (run.end.kind === "failed") failures.add(`${run.end.role}: ${run.end.message}`);
  }
  const untaken = descriptor.graph.edges.filter(
    (edge) => !taken.has(edge) && (edge.outcomes?.includes("ok") ?? true),
  );
  return { failures: [...failures], untaken, ends: most };
}

function edgesOf({ graph }: WorkflowDescriptor, { route }: DryRun): DescriptorEdge[] {
  return route.flatMap(({ from, rule }) => {
    const edge = rule === null ? undefined : graph.edges.filter((each) => each.from === from)[rule];
    return edge === undefined ? [] : [edge];
  });
}

function inTurn(samples: readonly JsonObject[], shift: number): JsonObject[] {
  return Array.from(
    { length: MOST_STEPS },
    (_each, at) => samples[(at + shift) % samples.length] ?? {},
  );
}

/** A result for each status; one where there is none. */
function samplesOf(schema: JsonObject): JsonObject[] {
  const base = toJsonObject(sample(schema)) ?? {};
  const status = toJsonObject(toJsonObject(schema.properties)?.status ?? null);
  const answers = Array.isArray(status?.enum) ? status.enum : [];
  return answers.length === 0 ? [base] : answers.map((answer) => ({ ...base, status: answer }));
}

function sample(given: JsonValue): JsonValue {
  const schema = toJsonObject(given) ?? {};
  const { enum: choices, const: only, default: usual, anyOf, type } = schema;
  if (usual !== undefined) return usual;
  if (only !== undefined) return only;
  if (Array.isArray(choices)) return choices[0] ?? null;
  if (Array.isArray(anyOf)) return sample(anyOf[0] ?? null);
  switch (Array.isArray(type) ? type[0] : type) {
    case "object":
      return Object.fromEntries(
        Object.entries(toJsonObject(schema.properties) ?? {}).map(([name, each]) => [
          name,
          sample(each),
        ]),
      );
    case "array":
      return Array.from({ length: Math.max(1, numberIn(schema.minItems)) }, () =>
        sample(schema.items ?? {}),
      );
    case "integer":
    case "number":
      return Math.max(numberIn(schema.minimum), 1);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return "something".padEnd(numberIn(schema.minLength), "…");
  }
}

function numberIn(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}
