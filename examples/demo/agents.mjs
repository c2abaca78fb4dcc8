/** Agents that may play the demo: the adapter of each, and what it has to be told. */
const ACP = "workflow-agent-acp";

const AGENTS = {
  claude: { adapter: "workflow-agent-claude-code", options: () => ({}) },
  // Its planner stores phases from inside the sandbox.
  codex: { adapter: "workflow-agent-codex", options: (storage) => ({ writable: [storage] }) },
  copilot: { adapter: ACP, options: () => ({ preset: "copilot" }) },
  gemini: { adapter: ACP, options: () => ({ preset: "gemini" }) },
  opencode: { adapter: ACP, options: () => ({ preset: "opencode" }) },
  qwen: { adapter: ACP, options: () => ({ preset: "qwen" }) },
};

export const AGENT_NAMES = Object.keys(AGENTS);

/** As `config.agents` of `workflow.yaml` has it; `folder` is that of its package in this repository. */
export function agentEntry(name, storage) {
  const { adapter, options } = AGENTS[name];
  return {
    package: `@uncaged/${adapter}`,
    options: options(storage),
    folder: `packages/${adapter.replace("workflow-", "")}`,
  };
}
