import { type CodexConfig, createCodexAgent } from "@uncaged/workflow-agent-codex";
import { endsAs } from "../behaviours/behaviour.ts";
import { connectionOf } from "../programs/connection.ts";
import type { InstalledProgram } from "../programs/install-programs.ts";
import type { AgentUnderTest } from "./agent-under-test.ts";

/** Before anything starts: the adapter could not enforce the role's policy. */
const REFUSED = { outcome: "crashed", recorded: false };

export const codex: AgentUnderTest = {
  name: "codex",
  program: "codex",
  bind: (program, url, options) => {
    const own = settings(program, url);
    return createCodexAgent({ ...options, ...own, env: { ...own.env, ...options.env } });
  },
  binding: (program, url) => ({
    package: "@uncaged/workflow-agent-codex",
    options: settings(program, url),
  }),
  differs: {
    "long-prompt": {
      expects: endsAs("context_overflow"),
      because: "the program accepts at most 1,048,576 characters",
    },
    "no-execute": {
      expects: REFUSED,
      because: "it reads by running commands: a role that may edit has to be allowed to run them",
    },
    "some-execute": {
      expects: { ...REFUSED, allowed: false },
      because: "its sandbox has no rules for single commands",
    },
    "ask-execute": {
      expects: { ...REFUSED, allowed: false },
      because: "it asks nobody: its sandbox decides",
    },
  },
};

function settings({ path }: InstalledProgram, url: string): CodexConfig {
  const { env, model, codex: provider } = connectionOf("codex", url);
  return { command: path, model: model ?? undefined, provider: provider ?? undefined, env };
}
