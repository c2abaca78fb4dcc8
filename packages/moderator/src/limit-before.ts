/** Whether a limit keeps a thread from its next step. */
import {
  END,
  type ReachedLimit,
  type RoleRules,
  type RoleStep,
  type RoleWait,
  START,
  SUSPEND,
} from "@uncaged/workflow-protocol";
import { type Ledger, reachedInWords } from "./ledger.ts";
import type { PickedRoute } from "./pick-route.ts";

/** A limit that forbids what a route leads to. Of a group its first member that an agent plays; the others ask when they
 *  start. */
export function limitBefore(
  { to, members }: Pick<PickedRoute, "to" | "members">,
  rules: ReadonlyMap<string, Pick<RoleRules, "person">>,
  ledger: Ledger,
): ReachedLimit | null {
  const isPerson = (role: string): boolean => rules.get(role)?.person !== undefined;
  const role = members === null ? to : members.find((each) => !isPerson(each.role))?.role;
  const runs = role !== undefined && role !== END && role !== SUSPEND && !isPerson(role);
  return runs ? ledger.reached(role) : null;
}

/** The thread stops where it is; the last role has nothing to answer. */
export function limitWait(steps: readonly Pick<RoleStep, "role">[], limit: ReachedLimit): RoleWait {
  const role = steps.at(-1)?.role ?? START;
  const message = `${reachedInWords(limit)}; raise the limit to continue`;
  return { role, message, kind: "limit", limit };
}
