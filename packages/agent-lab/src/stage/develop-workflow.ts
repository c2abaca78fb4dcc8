/** Source of a workflow: `develop`, whose coder is believed only after `npm test`. The default agent plans, codes
 *  and reviews; tests and commits need no model. */
export const DEVELOP_WORKFLOW: string = `
import { createCommandAgent } from "@uncaged/workflow-agent-command";
import { buildDescriptor, createWorkflow, namedAgent } from "@uncaged/workflow-runtime";
import { developProvenBy } from "@uncaged/workflow-template-develop";

const tester = createCommandAgent({
  command: "npm",
  args: ["test"],
  toMeta: ({ exitCode, output }) => ({
    status: exitCode === 0 ? "passed" : "failed",
    commands: [{ command: "npm test", exitCode }],
    failure: exitCode === 0 ? null : output,
  }),
});
const message = "fix: one hyphen between words";
const committer = createCommandAgent({
  command: "sh",
  args: ["-c", \`git add --all && git commit --quiet --message '\${message}' && git rev-parse HEAD\`],
  toMeta: ({ output }) => ({ commit: output.trim(), message, reason: null }),
});

const definition = developProvenBy({ tests: "^npm test$" });
export const descriptor = buildDescriptor(definition);
export const run = createWorkflow(definition, { adapter: namedAgent(), overrides: { tester, committer } });
`;
