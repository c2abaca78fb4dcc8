/** Whether an agent may make a call: its role's policy says so, and it writes nothing into the engine's storage root.
 *
 *  1. What the root holds decides over the thread: its head, its versions, which program plays a role. Of all that,
 *     only the role's private folder is the agent's, and the folder that workers share; and where a step works inside the
 *     root, the step's directory.
 *  2. A path counts by where it really leads. Only calls that name the file they write can be judged: a shell command
 *     is held by whatever sandbox the agent has, or by none.
 *  3. A worker starts no agents of its own, unless a rule of its role names the tool. */
import { resolve } from "node:path";
import type { ToolKind, ToolPolicy } from "@uncaged/workflow-protocol";
import { isWithin, realPath } from "@uncaged/workflow-util";
import {
  type PolicyCall,
  type PolicyVerdict,
  policyVerdict,
} from "@uncaged/workflow-util/tool-rules";

/** Of an `AgentStep`. */
export type JudgedStep = {
  policy: ToolPolicy | null;
  storageRoot: string | null;
  home: string;
  cwd: string;
  scratch?: string | undefined;
  isWorker?: boolean | undefined;
};

/** Never throws, and fails closed, as `policyVerdict` does. */
export function callVerdict(step: JudgedStep, call: PolicyCall): PolicyVerdict {
  if (WRITING.has(call.kind) && isOfEngine(call.subject, step)) {
    const reason = `${call.subject} is in the workflow engine's storage, to which ${call.name} may not write`;
    return { allowed: false, reason };
  }
  if (step.isWorker === true && SUB_AGENTS.test(call.name) && !isNamed(step.policy, call.name)) {
    const reason = `${call.name} starts another agent, and a worker does its work itself`;
    return { allowed: false, reason };
  }
  return policyVerdict(step.policy, call);
}

/** Of the agents that we know. */
const SUB_AGENTS =
  /^(?:agent|task|spawn_agent|delegate_task|delegate_to_agent|subagent|workflow)$/i;

function isNamed(policy: ToolPolicy | null, name: string): boolean {
  return policy?.allow?.some((rule) => rule.name === name) === true;
}

const WRITING: ReadonlySet<ToolKind> = new Set(["edit", "delete", "move"]);

function isOfEngine(path: string, { storageRoot, home, cwd, scratch }: JudgedStep): boolean {
  if (storageRoot === null) return false;
  const root = realPath(storageRoot);
  const place = realPath(resolve(cwd, path));
  if (!isWithin(root, place) || isWithin(realPath(home), place)) return false;
  if (scratch !== undefined && isWithin(realPath(scratch), place)) return false;
  const folder = realPath(cwd);
  const worksInside = folder !== root && isWithin(root, folder);
  return !(worksInside && isWithin(folder, place));
}
