import type { AgentDriver } from "@uncaged/workflow-util-agent";
import { keyVariables } from "./codex-arguments.ts";
import type { CodexConfig } from "./codex-config.ts";
import { openCodex } from "./codex-conversation.ts";
import { codexSandbox } from "./codex-sandbox.ts";
import { KEPT_FILES } from "./prepare-home.ts";
import { probeCodex } from "./probe-codex.ts";

export function codexDriver(config: CodexConfig): AgentDriver {
  return {
    name: "codex",
    passEnv: [...keyVariables(config), "CODEX_HOME"],
    can: { evidence: true, policy: true, offline: "itself", tools: "mcp", resume: true },
    socketless: config.sandbox !== "none",
    writable: config.writable,
    keeps: KEPT_FILES,
    refuses: (policy) => {
      const sandbox = codexSandbox(config, policy);
      return sandbox.ok ? null : sandbox.error;
    },
    probe: ({ env }) => probeCodex(config, env),
    open: (step) => openCodex(config, step),
  };
}
