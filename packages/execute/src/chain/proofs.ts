/** What is known of a thread's files, step by step: what they are compared with, and whether a check has seen them as
 *  they are.
 *
 *  1. The base of a work tree are its files from before the thread's first role there: no role of the thread can have
 *     changed them. Once an approver has approved changed controls, the base is the tree with these.
 *  2. A fork goes on in another work tree. One that begins as the thread left another has that one's base and proof.
 *  3. What counts for the thread is the work tree in which its last step worked. */
import {
  type AgentFault,
  approves,
  type RoleRules,
  requiredChecks,
  type StatePayload,
  type StepProof,
  type StepWorkspace,
} from "@uncaged/workflow-protocol";
import { type Chain, roleStates } from "./chain.ts";

export type Proofs = {
  /** By path. */
  readonly workTrees: Map<string, WorkTree>;
  /** That of the last step that worked in one. */
  current: WorkTree | null;
};

type WorkTree = {
  base: string;
  /** The last step that worked there. */
  last: StepWorkspace;
  checked: { tree: string; round: number; role: string; state: Proved } | null;
};

/** How a step that needs checks has passed them. */
export type Proved = "valid" | "unapproved";

/** What the step's place in the thread says of it. */
export type ProvedStep = Pick<StatePayload, "role" | "meta"> & {
  outcome?: AgentFault | undefined;
  /** From 1. */
  round: number;
  workspace: StepWorkspace | null;
  /** Null: its role requires no check. */
  proved: Proved | null;
};

export type RulesOfRoles = { readonly [role: string]: RoleRules };

export function noProofs(): Proofs {
  return { workTrees: new Map(), current: null };
}

/** As the thread's own steps say: what approved something then still does when the rules are others. */
export function proofsOf(chain: Chain): Proofs {
  const proofs = noProofs();
  for (const [at, { node }] of roleStates(chain).entries()) {
    const { proof, workspace = null } = node.payload;
    const round = at + 1;
    const proved = proof?.round !== round || proof.state === "stale" ? null : proof.state;
    proofAfter(
      proofs,
      { ...node.payload, round, workspace, proved },
      () => proof?.state === "valid",
    );
  }
  return proofs;
}

/** What a role left, and what that is compared with. */
export function checkedAgainst(
  { workTrees }: Proofs,
  { workTree, before, after }: Pick<StepWorkspace, "workTree" | "before" | "after">,
): { tree: string; base: string } {
  const known = workTrees.get(workTree) ?? leftAs(workTrees, before);
  return { tree: after, base: known?.base ?? before };
}

/** Adds a step. `approved`: whether it approves what the step of this role changed. Null: nothing was checked so far. */
export function proofAfter(
  proofs: Proofs,
  step: ProvedStep,
  approved: (role: string) => boolean,
): StepProof | null {
  const { workspace, round, role, proved } = step;
  if (workspace !== null) {
    proofs.current = entered(proofs, workspace);
    proofs.workTrees.set(workspace.workTree, proofs.current);
    proofs.current.last = workspace;
    if (proved !== null)
      proofs.current.checked = { tree: workspace.after, round, role, state: proved };
  }
  const { current } = proofs;
  if (current === null || current.checked === null) return null;
  const { checked, last } = current;
  const seen = workspace?.before ?? checked.tree;
  const isWaiting =
    checked.state === "unapproved" && [seen, last.after].every((is) => is === checked.tree);
  if (isWaiting && approved(checked.role)) {
    checked.state = "valid";
    current.base = checked.tree;
  }
  const state = last.after === checked.tree ? checked.state : "stale";
  return { state, tree: checked.tree, round: checked.round };
}

function entered({ workTrees }: Proofs, last: StepWorkspace): WorkTree {
  const known = workTrees.get(last.workTree);
  if (known !== undefined) return known;
  const { base, checked } = leftAs(workTrees, last.before) ?? { base: last.before, checked: null };
  return { base, last, checked: checked === null ? null : { ...checked } };
}

function leftAs(workTrees: Proofs["workTrees"], tree: string): WorkTree | undefined {
  return [...workTrees.values()].findLast(({ last }) => last.after === tree);
}

/** Whether a step is one of an approver of what the step of `checked` changed, and approves it. Approvers are those whom
 *  every check with approvers names. */
export function isApproval(
  { role, meta, outcome }: ProvedStep,
  checked: string,
  rules: RulesOfRoles,
): boolean {
  const of = Object.hasOwn(rules, checked) ? rules[checked] : undefined;
  const named = requiredChecks(of?.requiredEvidence).flatMap(({ approver = [] }) =>
    approver.length === 0 ? [] : [approver],
  );
  const isNamed = named.length > 0 && named.every((names) => names.includes(role));
  return isNamed && role !== checked && outcome === undefined && approves(meta);
}
