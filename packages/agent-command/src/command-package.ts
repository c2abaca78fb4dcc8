import type { AgentPackage, AgentProbe, JsonObject } from "@uncaged/workflow-protocol";
import { probeProgram, readOptions } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import type { CommandAgentConfig } from "./command-config.ts";
import { createCommandAgent } from "./create-command-agent.ts";

/** For `config.agents` in `workflow.yaml`: the options of `createCommandAgent` that JSON can express. */
export const agent: AgentPackage = {
  name: "command",
  create: (options) => createCommandAgent(parseConfig(options)),
  async probe(options, { env }): Promise<AgentProbe> {
    const { command, installHint } = parseConfig(options);
    const found = await probeProgram([command], env);
    const common = { login: "unknown", features: ["evidence", "tool-policy"] } as const;
    if (found !== null) return { ...found, ...common, installed: true, fix: null };
    const fix = installHint ?? `install ${command}, or name it by its full path`;
    return { path: null, version: null, ...common, installed: false, fix };
  },
};

function parseConfig(options: JsonObject): CommandAgentConfig {
  return readOptions("command", OPTIONS, options);
}

const milliseconds = z.int().positive();

const OPTIONS: z.ZodType<CommandAgentConfig> = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  stdin: z.enum(["input", "none"]).optional(),
  output: z.enum(["exit", "json"]).optional(),
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  passEnv: z.array(z.string()).optional(),
  inheritEnv: z.enum(["listed", "all"]).optional(),
  idleTimeoutMs: milliseconds.optional(),
  timeoutMs: milliseconds.optional(),
  graceMs: z.int().nonnegative().optional(),
  maxOutputBytes: z.int().positive().optional(),
  leftovers: z.enum(["end", "keep"]).optional(),
  installHint: z.string().optional(),
});
