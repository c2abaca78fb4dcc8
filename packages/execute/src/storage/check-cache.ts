import { join } from "node:path";
import { storagePaths } from "@uncaged/workflow-util";

/** Where checks keep what they would otherwise have to do again. */
export function checkCache(root: string): { dependencies: string; evidence: string } {
  const { workspaces } = storagePaths(root);
  return { dependencies: join(workspaces, "dependencies"), evidence: join(workspaces, "evidence") };
}
