/** What a role is held to, looked at once more by the engine: an adapter may have been written by anybody.
 *
 *  1. It looks at what the step would be stored with: the record of the run, and the calls that it names. A role whose
 *     result is a failure is held to nothing.
 *  2. Whoever verifies the thread later asks the same, of the same bytes.
 *  3. A call counts for one step of a thread: a later step that names it again has not made it again.
 *  4. A policy is looked at as far as a record tells for certain: that its adapter held it, and that no call of a kind
 *     was made that the role may not use at all. */

import { decodeNode } from "@uncaged/workflow-cas";
import {
  type AgentFault,
  type CasStore,
  type Failure,
  failure,
  parseJson,
  type RoleRules,
  type StepRun,
  type ToolCallRecord,
  type ToolKind,
  type ToolPolicy,
} from "@uncaged/workflow-protocol";

export type HeldStep = {
  role: string;
  outcome: AgentFault | undefined;
  run: Pick<StepRun, "agent" | "evidence" | "policy"> | null;
};

/** Null: the step is as its role's rules want it. Throws what the store throws. */
export async function roleRulesFault(
  cas: Pick<CasStore, "get">,
  { tools, requiredEvidence = [] }: Pick<RoleRules, "tools" | "requiredEvidence">,
  about: { step: HeldStep; earlier: ReadonlySet<string> },
): Promise<Failure | null> {
  const { step, earlier } = about;
  if (step.outcome !== undefined) return null;
  if (tools === undefined && requiredEvidence.length === 0) return null;
  const agent = step.run?.agent.name ?? "its agent";
  if (tools !== undefined && step.run?.policy !== "held") return notHeld(step.role, agent);
  // Loaded by those alone that have rules.
  const { evidenceWords, missingEvidence, policyVerdict } = await import(
    "@uncaged/workflow-util/tool-rules"
  );
  const hashes = (step.run?.evidence ?? []).filter((hash) => !earlier.has(hash));
  const calls = await readCalls(cas, hashes);
  const breach =
    tools === undefined
      ? undefined
      : calls.find((call) => isWeighed(call) && !policyVerdict(wholeKinds(tools), call).allowed);
  if (breach !== undefined) return breached(step.role, agent, breach);
  const missing = missingEvidence(requiredEvidence, calls);
  if (missing.length === 0) return null;
  return failure(
    "EVIDENCE_MISSING",
    `the result of role ${step.role} is not accepted, ${agent} was not seen to do what it requires: ${missing.map(evidenceWords).join("; ")}`,
    "bind the role to an adapter that hands in the calls it saw (docs/writing-an-adapter.md), or correct the requirement",
  );
}

/** The calls that these blobs tell of; one that is missing, or is none, tells nothing. */
async function readCalls(
  cas: Pick<CasStore, "get">,
  hashes: readonly string[],
): Promise<ToolCallRecord[]> {
  const { toolCallRecordSchema } = await import("@uncaged/workflow-protocol/schemas");
  const calls: ToolCallRecord[] = [];
  for (const hash of hashes) {
    const text = await cas.get(hash);
    const node = text === null ? null : decodeNode(text);
    if (node?.ok !== true || node.value.type !== "content") continue;
    const call = toolCallRecordSchema.safeParse(parseJson(node.value.payload));
    if (call.success) calls.push(call.data);
  }
  return calls;
}

/** It happened, and its kind says what it did. */
function isWeighed({ kind, ok, refused }: ToolCallRecord): boolean {
  return ok && refused !== true && WEIGHED.has(kind);
}

const WEIGHED: ReadonlySet<ToolKind> = new Set([
  "read",
  "search",
  "edit",
  "delete",
  "move",
  "execute",
  "fetch",
]);

/** The policy without what looks at a call's subject, of which a record holds a part. */
function wholeKinds({ allow, deny = [] }: ToolPolicy): ToolPolicy {
  return {
    deny: deny.filter(({ input, command }) => input === undefined && command === undefined),
    ...(allow === undefined ? {} : { allow: allow.map(({ kind, name }) => ({ kind, name })) }),
  };
}

function notHeld(role: string, agent: string): Failure {
  return failure(
    "AGENT_FAILED",
    `role ${role} has \`tools\`, and ${agent} does not say that it held them`,
    "bind the role to another agent, or take the rule out of its definition",
  );
}

function breached(role: string, agent: string, { name, kind }: ToolCallRecord): Failure {
  return failure(
    "AGENT_DENIED",
    `the result of role ${role} is not accepted: ${agent} used ${name}, and the role may not use tools of kind ${kind}`,
    "allow it in the role's `tools`, or bind the role to another agent",
  );
}
