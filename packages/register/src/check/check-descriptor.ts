import { isDeepStrictEqual } from "node:util";
import {
  END,
  err,
  type Failure,
  failure,
  type Group,
  membersIn,
  ok,
  parseJson,
  type Result,
  START,
  SUSPEND,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import { workflowDescriptorSchema } from "@uncaged/workflow-protocol/schemas";

/** Says what is wrong with a rule's expression; null when nothing is. Passed in by the caller, because the moderator
 *  is a sibling of this package, not below it. */
export type CheckRule = (when: string) => Failure | null;

export type DescriptorCheck = {
  place: string;
  /** The module's own `descriptor`. */
  value: unknown;
  /** Content of the descriptor file next to the bundle; null when there is none. */
  sidecar: { path: string; text: string } | null;
  checkRule: CheckRule;
};

/** `BUNDLE_INVALID`, `BUNDLE_DESCRIPTOR_MISMATCH`, or the result of `checkRule` with the rule's place in front. */
export function checkDescriptor(check: DescriptorCheck): Result<WorkflowDescriptor, Failure> {
  const parsed = workflowDescriptorSchema.safeParse(check.value);
  if (!parsed.success) return err(invalid(check.place, issuesText(parsed.error.issues)));
  const descriptor = parsed.data;
  const problem = edgeProblem(descriptor);
  if (problem !== null) return err(invalid(check.place, problem));
  const rule = ruleProblem(descriptor, check);
  if (rule !== null) return err(rule);
  const mismatch = sidecarProblem(descriptor, check);
  return mismatch === null ? ok(descriptor) : err(mismatch);
}

function edgeProblem(descriptor: WorkflowDescriptor): string | null {
  if (Object.keys(descriptor.roles).length === 0) return "has no role";
  const { edges } = descriptor.graph;
  const groups = edges.flatMap(({ group }) => (group === undefined ? [] : [group.name]));
  const sources = new Set([START, ...groups, ...Object.keys(descriptor.roles)]);
  const targets = new Set([END, SUSPEND, ...Object.keys(descriptor.roles)]);
  for (const [index, edge] of edges.entries()) {
    if (!sources.has(edge.from))
      return `graph.edges.${index} comes from ${JSON.stringify(edge.from)}, which is not a role`;
    if (edge.group !== undefined) {
      const problem = groupProblem(edge.group, descriptor);
      if (problem !== null || edge.to !== edge.group.name)
        return `graph.edges.${index}.group: ${problem ?? "is not where the edge leads"}`;
    } else if (!targets.has(edge.to))
      return `graph.edges.${index} leads to ${JSON.stringify(edge.to)}, which is not a role`;
  }
  return null;
}

function groupProblem(group: Group, { roles }: WorkflowDescriptor): string | null {
  if (Object.hasOwn(roles, group.name)) return `has the name of the role ${group.name}`;
  const stray = membersIn(group).find(({ role }) => !Object.hasOwn(roles, role));
  return stray === undefined
    ? null
    : `has a member ${JSON.stringify(stray.role)}, which is not a role`;
}

function ruleProblem(
  descriptor: WorkflowDescriptor,
  { place, checkRule }: DescriptorCheck,
): Failure | null {
  for (const [index, { from, to, condition, when, group }] of descriptor.graph.edges.entries()) {
    for (const [field, expression] of [
      ["when", when],
      ["group.each", group?.each],
    ] as const) {
      const problem = expression == null ? null : checkRule(expression);
      if (problem === null) continue;
      const rule = `rule ${JSON.stringify(condition)} from ${from} to ${to} (graph.edges.${index}.${field})`;
      return failure(problem.code, `${place}: ${rule}: ${problem.message}`, problem.hint);
    }
  }
  const problem = descriptor.result === undefined ? null : checkRule(descriptor.result);
  if (problem === null) return null;
  return failure(problem.code, `${place}: result: ${problem.message}`, problem.hint);
}

function sidecarProblem(
  descriptor: WorkflowDescriptor,
  { place, sidecar: beside }: DescriptorCheck,
): Failure | null {
  if (beside === null || isDeepStrictEqual(parseJson(beside.text), descriptor)) return null;
  return failure(
    "BUNDLE_DESCRIPTOR_MISMATCH",
    `${beside.path} does not say what the descriptor in ${place} says`,
    "build the bundle again, which writes both; or remove that file",
  );
}

function invalid(place: string, problem: string): Failure {
  return failure(
    "BUNDLE_INVALID",
    `the descriptor in ${place}: ${problem}`,
    "make it with buildDescriptor from the definition that createWorkflow gets",
  );
}

function issuesText(issues: readonly { path: readonly PropertyKey[]; message: string }[]): string {
  return issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.map(String).join(".") || "descriptor"}: ${message}`)
    .join("; ");
}
