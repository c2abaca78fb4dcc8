import type { RoleRules, StepProof, StepWorkspace } from "@uncaged/workflow-protocol";
import type { ParsedRoleOutput } from "@uncaged/workflow-protocol/schemas";
import { type Chain, roleStates } from "../chain/chain.ts";
import { isApproval, proofAfter, proofsOf } from "../chain/proofs.ts";
import type { Engine } from "../storage/engine.ts";
import { filesFound } from "./step-files.ts";

/** What a person's step adds to what is known of files that were checked: whether they are still the same, and whether
 *  the person approves. Nulls: nothing was checked. */
export async function personProof(
  engine: Pick<Engine, "root" | "now">,
  {
    threadId,
    chain,
    output,
    rules,
  }: {
    threadId: string;
    chain: Chain;
    output: ParsedRoleOutput;
    /** Of the version that the thread runs; asked only where there is something to approve. */
    rules: () => Promise<{ readonly [role: string]: RoleRules }>;
  },
): Promise<{ workspace: StepWorkspace | null; proof: StepProof | null }> {
  const proofs = proofsOf(chain);
  const checked = proofs.current?.checked;
  if (checked == null) return { workspace: null, proof: null };
  const round = roleStates(chain).length + 1;
  const workspace = await filesFound(engine, proofs, { threadId, round, role: output.role });
  const step = { ...output, round, workspace, proved: null };
  const roles = checked.state === "unapproved" ? await rules() : {};
  const proof = proofAfter(proofs, step, (role) => isApproval(step, role, roles));
  return { workspace, proof };
}
