/** Who plays the roles of `develop`. */
import { createCommandAgent } from "@uncaged/workflow-agent-command";
import { type AdapterFn, buildDescriptor } from "@uncaged/workflow-runtime";
import { developDefinition } from "@uncaged/workflow-template-develop";
import { buildAgentPrompt, buildThreadInput } from "@uncaged/workflow-util-agent";

const { roles } = buildDescriptor(developDefinition);

/** Plans, codes, reviews and commits. Any program will do that reads a prompt on stdin, works in the directory
 *  it is started in, and ends its output with the JSON that it was asked for. */
export const agent: AdapterFn = createCommandAgent({
  command: "claude",
  args: ["--print", "--permission-mode", "acceptEdits"],
  passEnv: ["ANTHROPIC_API_KEY"],
  stdin: async ({ prompt, ctx, runtime }) =>
    buildAgentPrompt({
      rolePrompt: prompt,
      threadInput: await buildThreadInput(ctx, runtime),
      outputSchema: roles[runtime.step.role]?.schema ?? null,
    }),
  output: "json",
  idleTimeoutMs: 30 * 60 * 1000,
  installHint: "install that agent, or name yours in src/agents.ts",
});

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
