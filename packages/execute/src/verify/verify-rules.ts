/** Checks every step again against the rules of its role, in the version that the thread ran at the time. */
import {
  type CasStore,
  type RoleRules,
  type StepRun,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { type Bases, checkedAgainst } from "../chain/bases.ts";
import { type Chain, type ChainState, isRound } from "../chain/chain.ts";
import { runOf } from "../chain/thread-context.ts";
import { upgradeOf } from "../chain/upgrades.ts";
import { type HeldStep, roleRulesFault } from "../run/check-role-rules.ts";

/** The states whose result violates the rules. `rules`: of the roles of each version, by hash; states of other versions
 *  are skipped. */
export async function verifyRules(
  cas: Pick<CasStore, "get">,
  rules: ReadonlyMap<string, { readonly [role: string]: RoleRules }>,
  chain: Chain,
): Promise<{ code: string; hash: string; message: string }[]> {
  const found: { code: string; hash: string; message: string }[] = [];
  const earlier = new Set<string>();
  const bases: Bases = new Map();
  let roles = rules.get(chain.start.payload.hash);
  for (const state of chain.states) {
    const upgrade = upgradeOf(state.node);
    if (upgrade !== null) roles = rules.get(upgrade.to);
    if (upgrade !== null || !isRound(state)) continue;
    const { role, workspace } = state.node.payload;
    const files = workspace === undefined ? null : checkedAgainst(bases, workspace);
    const ofRole = roles !== undefined && Object.hasOwn(roles, role) ? roles[role] : undefined;
    const fault =
      ofRole === undefined ? null : await faultOf(cas, ofRole, { state, files, earlier });
    if (fault !== null) found.push({ ...fault, hash: state.hash });
    for (const hash of state.node.payload.evidence ?? []) earlier.add(hash);
  }
  return found;
}

async function faultOf(
  cas: Pick<CasStore, "get">,
  rules: RoleRules,
  {
    state: { node },
    files,
    earlier,
  }: { state: ChainState; files: HeldStep["files"]; earlier: ReadonlySet<string> },
): Promise<{ code: string; message: string } | null> {
  const { role, outcome } = node.payload;
  const run = runOf(node);
  const impostor = impostorFault(role, rules, run);
  if (impostor !== null) return impostor;
  try {
    const step = { role, outcome, run, files };
    const fault = await roleRulesFault(cas, rules, { step, earlier });
    return fault === null ? null : { code: fault.code, message: fault.message };
  } catch (thrown) {
    // A damaged blob was reported where it is named.
    if (thrown instanceof WorkflowError) return null;
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
