/** Checks every step again against the rules of its role, in the version that the thread ran at the time. */
import { isDeepStrictEqual } from "node:util";
import {
  type CasStore,
  type RoleRules,
  type StepProof,
  type StepRun,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { type Chain, type ChainState, isRound } from "../chain/chain.ts";
import { checkedAgainst, isApproval, noProofs, type Proved, proofAfter } from "../chain/proofs.ts";
import { runOf } from "../chain/thread-context.ts";
import { upgradeOf } from "../chain/upgrades.ts";
import { type HeldStep, holdStep } from "../run/check-role-rules.ts";
import { rulesHeld } from "../workers/coordinator-rules.ts";

/** The states whose result violates the rules. `rules`: of the roles of each version, by hash; states of other versions
 *  are skipped. */
export async function verifyRules(
  cas: Pick<CasStore, "get">,
  rules: ReadonlyMap<string, { readonly [role: string]: RoleRules }>,
  chain: Chain,
): Promise<{ code: string; hash: string; message: string }[]> {
  const found: { code: string; hash: string; message: string }[] = [];
  const earlier = new Set<string>();
  const proofs = noProofs();
  let round = 0;
  let roles = rules.get(chain.start.payload.hash);
  for (const state of chain.states) {
    const upgrade = upgradeOf(state.node);
    if (upgrade !== null) roles = rules.get(upgrade.to);
    if (upgrade !== null || !isRound(state)) continue;
    round += 1;
    const { role, workspace = null } = state.node.payload;
    const files = workspace === null ? null : checkedAgainst(proofs, workspace);
    const ofRole = roles !== undefined && Object.hasOwn(roles, role) ? roles[role] : undefined;
    const { fault, proved } =
      ofRole === undefined
        ? { fault: null, proved: null }
        : await heldTo(cas, rulesHeld(ofRole), { state, files, earlier });
    if (fault !== null) found.push({ ...fault, hash: state.hash });
    for (const hash of state.node.payload.evidence ?? []) earlier.add(hash);
    if (roles === undefined) continue;
    const step = { ...state.node.payload, round, workspace, proved };
    const ran = roles;
    const proof = proofAfter(proofs, step, (checked) => isApproval(step, checked, ran));
    if (fault === null && !isDeepStrictEqual(state.node.payload.proof ?? null, proof))
      found.push({ ...otherProof(proof), hash: state.hash });
  }
  return found;
}

function otherProof(proof: StepProof | null): { code: string; message: string } {
  const is = proof === null ? "nothing was checked" : `it is ${proof.state}`;
  return {
    code: "EVIDENCE_MISSING",
    message: `it says something else of its evidence than the steps show: ${is}`,
  };
}

async function heldTo(
  cas: Pick<CasStore, "get">,
  rules: RoleRules,
  {
    state: { node },
    files,
    earlier,
  }: { state: ChainState; files: HeldStep["files"]; earlier: ReadonlySet<string> },
): Promise<{ fault: { code: string; message: string } | null; proved: Proved | null }> {
  const { role, outcome } = node.payload;
  const run = runOf(node);
  const impostor = impostorFault(role, rules, run);
  if (impostor !== null) return { fault: impostor, proved: null };
  try {
    const step = { role, outcome, run, files };
    const { fault, proved } = await holdStep(cas, rules, { step, earlier });
    return { fault: fault === null ? null : { code: fault.code, message: fault.message }, proved };
  } catch (thrown) {
    // A damaged blob was reported where it is named.
    if (thrown instanceof WorkflowError) return { fault: null, proved: null };
    throw thrown;
  }
}

/** An agent's step in place of a person's, or the other way round. */
function impostorFault(
  role: string,
  { person }: RoleRules,
  run: StepRun | null,
): { code: string; message: string } | null {
  if ((person !== undefined) === (run?.person !== undefined)) return null;
  const message =
    person === undefined
      ? `role ${role} is played by agents, and its step says that a person played it`
      : `role ${role} is played by a person, and its step does not say who that was`;
  return { code: "ANSWER_REFUSED", message };
}
