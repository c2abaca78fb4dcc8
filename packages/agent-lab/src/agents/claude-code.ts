import { createClaudeCodeAgent } from "@uncaged/workflow-agent-claude-code";
import { connectionOf } from "../programs/connection.ts";
import type { AgentUnderTest } from "./agent-under-test.ts";

export const claudeCode: AgentUnderTest = {
  name: "claude-code",
  program: "claude",
  bind: (program, url, options) =>
    createClaudeCodeAgent({
      ...options,
      command: program.path,
      env: { ...connectionOf("claude", url).env, ...options.env },
    }),
  differs: {
    mended: {
      expects: { noted: false },
      because: "the program itself lets the model hand in again, within the turn",
    },
  },
};
