/** Rules of a role, and the calls that it is held to them by. */
import type { RoleRules, ToolCallRecord } from "@uncaged/workflow-protocol";

export const NEEDS_TESTS: RoleRules = {
  requiredEvidence: [
    { name: "tests", kind: "execute", command: ["npm", "test"], after: "last_edit" },
  ],
};

export const NO_EDITS: RoleRules = { tools: { deny: [{ kind: "edit" }] } };

/** The tests, run and passed, unless more is said. */
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
