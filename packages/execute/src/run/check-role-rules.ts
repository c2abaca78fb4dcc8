/** The engine checks each role's rules again itself, because anybody may have written an adapter.
 *
 *  1. It checks what would be stored with the step: the record of the run, and the calls that it names. A role whose
 *     result is a failure has no rules to satisfy.
 *  2. Verifying the thread later makes the same checks on the same bytes.
 *  3. A call counts for one step of a thread: a later step that names it again has not made it again.
 *  4. Evidence of a check counts for the files that the role left, whoever had them checked.
 *  5. A policy is checked as far as a record is conclusive: its adapter enforced it, and no call was made of a kind
 *     that the role may not use at all. */

import { isDeepStrictEqual } from "node:util";
import { decodeNode } from "@uncaged/workflow-cas";
import {
  type AgentFault,
  type CasStore,
  type CheckEvidence,
  type CheckRequirement,
  type CheckRun,
  type Failure,
  failure,
  parseJson,
  type RoleRules,
  requiredCalls,
  requiredChecks,
  type StepRun,
  type ToolCallRecord,
  type ToolKind,
  type ToolPolicy,
} from "@uncaged/workflow-protocol";
import type { Proved } from "../chain/proofs.ts";
import { checkInWords, mayBeApproved } from "./role-checks.ts";

export type HeldStep = {
  role: string;
  outcome: AgentFault | undefined;
  run: Pick<StepRun, "agent" | "evidence" | "policy"> | null;
  /** The tree that it left, and the one that it is compared with; null: not recorded. */
  files: { tree: string; base: string } | null;
};

/** `fault` is null: the step satisfies its role's rules. `proved`: how it passed its checks; null: it needs none. */
export type HeldTo = { fault: Failure; proved: null } | { fault: null; proved: Proved | null };

/** Throws what the store throws. */
export async function holdStep(
  cas: Pick<CasStore, "get">,
  { tools, requiredEvidence = [] }: Pick<RoleRules, "tools" | "requiredEvidence">,
  about: { step: HeldStep; earlier: ReadonlySet<string> },
): Promise<HeldTo> {
  const { step, earlier } = about;
  if (step.outcome !== undefined) return NOTHING_TO_HOLD;
  if (tools === undefined && requiredEvidence.length === 0) return NOTHING_TO_HOLD;
  const agent = step.run?.agent.name ?? "its agent";
  if (tools !== undefined && step.run?.policy !== "held")
    return { fault: notHeld(step.role, agent), proved: null };
  // Loaded only for roles that have rules.
  const { evidenceWords, missingEvidence, policyVerdict } = await import(
    "@uncaged/workflow-util/tool-rules"
  );
  const hashes = (step.run?.evidence ?? []).filter((hash) => !earlier.has(hash));
  const calls = await readCalls(cas, hashes);
  const breach =
    tools === undefined
      ? undefined
      : calls.find((call) => isWeighed(call) && !policyVerdict(wholeKinds(tools), call).allowed);
  if (breach !== undefined) return { fault: breached(step.role, agent, breach), proved: null };
  const checked = await heldToChecks(cas, requiredChecks(requiredEvidence), step);
  if (checked.fault !== null) return checked;
  const missing = missingEvidence(requiredCalls(requiredEvidence), calls);
  if (missing.length === 0) return checked;
  const fault = failure(
    "EVIDENCE_MISSING",
    `the result of role ${step.role} is not accepted: ${agent} was not seen doing what it requires: ${missing.map(evidenceWords).join("; ")}`,
    "bind the role to an adapter that reports the calls it saw (docs/writing-an-adapter.md), or correct the requirement",
  );
  return { fault, proved: null };
}

const NOTHING_TO_HOLD = { fault: null, proved: null } as const;

/** The calls in these blobs; a blob that is missing, or is not a call, adds nothing. */
async function readCalls(
  cas: Pick<CasStore, "get">,
  hashes: readonly string[],
): Promise<ToolCallRecord[]> {
  const { toolCallRecordSchema } = await import("@uncaged/workflow-protocol/schemas");
  const calls: ToolCallRecord[] = [];
  for (const text of await readTexts(cas, hashes)) {
    const call = toolCallRecordSchema.safeParse(text);
    if (call.success) calls.push(call.data);
  }
  return calls;
}

/** The JSON in these blobs; a blob that is missing adds nothing. */
async function readTexts(
  cas: Pick<CasStore, "get">,
  hashes: readonly string[],
): Promise<unknown[]> {
  const texts: unknown[] = [];
  for (const hash of hashes) {
    const text = await cas.get(hash);
    const node = text === null ? null : decodeNode(text);
    if (node?.ok === true && node.value.type === "content")
      texts.push(parseJson(node.value.payload));
  }
  return texts;
}

/** The first check of which the step has no evidence that it passed is its fault. */
async function heldToChecks(
  cas: Pick<CasStore, "get">,
  checks: readonly CheckRequirement["check"][],
  { role, run, files }: HeldStep,
): Promise<HeldTo> {
  if (checks.length === 0) return NOTHING_TO_HOLD;
  const { checkEvidenceSchema } = await import("@uncaged/workflow-protocol/schemas");
  const found: CheckEvidence[] = [];
  for (const text of await readTexts(cas, run?.evidence ?? [])) {
    const evidence = checkEvidenceSchema.safeParse(text);
    if (evidence.success) found.push(evidence.data);
  }
  let proved: Proved = "valid";
  for (const check of checks) {
    const ofCheck = found.filter((each) => isDeepStrictEqual(each.command, check.command));
    const fits = ofCheck.filter(({ tree, base }) => tree === files?.tree && base === files.base);
    if (fits.some(hasPassed)) continue;
    if (mayBeApproved(check) && fits.some(waitsForApproval)) {
      proved = "unapproved";
      continue;
    }
    const [failed] = fits;
    const why =
      failed === undefined
        ? "there is no evidence of it for the files that the role left"
        : checkInWords(failed);
    const fault = failure(
      "EVIDENCE_MISSING",
      `the result of role ${role} is not accepted: it has to pass ${check.command.join(" ")}: ${why}`,
      "run the command in a clean clone of the files, then mend them or the check",
    );
    return { fault, proved: null };
  }
  return { fault: null, proved };
}

/** By what was seen, not by what was concluded from it. */
function hasPassed(evidence: CheckEvidence): boolean {
  const { controls, controlled, verdict, faults } = evidence;
  const holds = controls.length === 0 || (controlled !== null && isGreen(controlled));
  return verdict === "passed" && faults.length === 0 && isSound(evidence) && holds;
}

/** All but what the changed controls are about. */
function waitsForApproval(evidence: CheckEvidence): boolean {
  const { controlled, verdict, faults } = evidence;
  const isAbout = faults.every(({ kind }) => kind === "controls_changed");
  return verdict === "unapproved" && isAbout && controlled !== null && isSound(evidence);
}

function isSound({ tree, clean, canary }: CheckEvidence): boolean {
  return clean.tree === tree && isGreen(clean) && (canary === null || canary.exitCode !== 0);
}

function isGreen({ exitCode, timedOut, changed }: CheckRun): boolean {
  return exitCode === 0 && !timedOut && changed.length === 0;
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

/** The policy without the parts that look at a call's subject, because a record may hold only a part of that. What a
 *  person may allow may have been allowed. */
function wholeKinds({ allow, deny = [], ask = [], network }: ToolPolicy): ToolPolicy {
  return {
    network,
    deny: deny.filter(({ input, command }) => input === undefined && command === undefined),
    ...(allow === undefined
      ? {}
      : { allow: [...allow, ...ask].map(({ kind, name }) => ({ kind, name })) }),
  };
}

function notHeld(role: string, agent: string): Failure {
  return failure(
    "AGENT_FAILED",
    `role ${role} has \`tools\`, and ${agent} does not declare that it enforced them`,
    "bind the role to another agent, or remove the rule from its definition",
  );
}

function breached(role: string, agent: string, { name, kind }: ToolCallRecord): Failure {
  return failure(
    "AGENT_DENIED",
    `the result of role ${role} is not accepted: ${agent} used ${name}, and the role may not use tools of kind ${kind}`,
    "allow it in the role's `tools`, or bind the role to another agent",
  );
}
