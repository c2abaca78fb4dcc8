/** Rules of a role, and tool calls to check against them. */
import type { RoleRules, ToolCallRecord } from "@uncaged/workflow-protocol";

export const NEEDS_TESTS: RoleRules = {
  requiredEvidence: [
    { name: "tests", kind: "execute", command: ["npm", "test"], after: "last_edit" },
  ],
};

export const NO_EDITS: RoleRules = { tools: { deny: [{ kind: "edit" }] } };

/** A passed test run, unless `about` changes it. */
export function toolCall(about: Partial<ToolCallRecord> = {}): ToolCallRecord {
  return {
    id: "1",
    name: "Bash",
    kind: "execute",
    subject: "npm test",
    input: {},
    output: "",
    ok: true,
    exitCode: 0,
    durationMs: 1,
    timestamp: 1_763_730_000_000,
    ...about,
  };
}
