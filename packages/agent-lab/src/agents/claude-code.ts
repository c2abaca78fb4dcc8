import { createClaudeCodeAgent } from "@uncaged/workflow-agent-claude-code";
import { connectionOf } from "../programs/connection.ts";
import type { InstalledProgram } from "../programs/install-programs.ts";
import type { AgentUnderTest } from "./agent-under-test.ts";

export const claudeCode: AgentUnderTest = {
  name: "claude-code",
  program: "claude",
  bind: (program, url, options) => {
    const own = settings(program, url);
    return createClaudeCodeAgent({ ...options, ...own, env: { ...own.env, ...options.env } });
  },
  binding: (program, url) => ({
    package: "@uncaged/workflow-agent-claude-code",
    options: settings(program, url),
  }),
  differs: {
    mended: {
      expects: { noted: false },
      because: "the program itself lets the model submit again, within the turn",
    },
  },
};

const settings = ({ path }: InstalledProgram, url: string) => ({
  command: path,
  env: connectionOf("claude", url).env,
});
