/** Whether an agent may make a call: its role's policy says so, and it writes nothing into the engine's storage root.
 *
 *  1. What the root holds decides over the thread: its head, its versions, which program plays a role. Of all that,
 *     only the role's private folder is the agent's; and where a step works inside the root, the step's directory.
 *  2. A path counts by where it really leads. Only calls that name the file they write can be judged: a shell command
 *     is held by whatever sandbox the agent has, or by none. */
import { resolve } from "node:path";
import type { ToolKind, ToolPolicy } from "@uncaged/workflow-protocol";
import {
  type PolicyCall,
  type PolicyVerdict,
  policyVerdict,
} from "@uncaged/workflow-util/tool-rules";
import { isWithin, realPath } from "./real-path.ts";

/** Of an `AgentStep`. */
export type JudgedStep = {
  policy: ToolPolicy | null;
  storageRoot: string | null;
  home: string;
  cwd: string;
};

/** Never throws, and fails closed, as `policyVerdict` does. */
export function callVerdict(step: JudgedStep, call: PolicyCall): PolicyVerdict {
  if (WRITING.has(call.kind) && isOfEngine(call.subject, step)) {
    const reason = `${call.subject} is in the workflow engine's storage, to which ${call.name} may not write`;
    return { allowed: false, reason };
  }
  return policyVerdict(step.policy, call);
}

const WRITING: ReadonlySet<ToolKind> = new Set(["edit", "delete", "move"]);

function isOfEngine(path: string, { storageRoot, home, cwd }: JudgedStep): boolean {
  if (storageRoot === null) return false;
  const root = realPath(storageRoot);
  const place = realPath(resolve(cwd, path));
  if (!isWithin(root, place) || isWithin(realPath(home), place)) return false;
  const folder = realPath(cwd);
  const worksInside = folder !== root && isWithin(root, folder);
  return !(worksInside && isWithin(folder, place));
}
