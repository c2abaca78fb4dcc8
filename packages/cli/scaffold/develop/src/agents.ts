/** Who plays the roles of `develop`. */
import { createClaudeCodeAgent } from "@uncaged/workflow-agent-claude-code";
import { createCommandAgent } from "@uncaged/workflow-agent-command";
import type { AdapterFn } from "@uncaged/workflow-runtime";

/** Plans, codes, reviews and commits. Codex, OpenCode, Copilot and others have adapters of their own. */
export const agent: AdapterFn = createClaudeCodeAgent({ idleTimeoutMs: 30 * 60 * 1000 });

/** No judgement is needed to run a test suite, so no model runs it. */
export const tester: AdapterFn = createCommandAgent({
  command: "npm",
  args: ["test"],
  toMeta: ({ exitCode, output }) => ({
    status: exitCode === 0 ? "passed" : "failed",
    commands: [{ command: "npm test", exitCode }],
    failure: exitCode === 0 ? null : output || "it printed nothing",
  }),
});
