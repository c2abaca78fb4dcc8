/** The `develop` template, planned, coded and reviewed by the default agent of the storage root; tests and the
 *  commit need no model. */
import { createCommandAgent } from "@uncaged/workflow-agent-command";
import { buildDescriptor, createWorkflow, namedAgent } from "@uncaged/workflow-runtime";
import { developUncheckedDefinition } from "@uncaged/workflow-template-develop";

const tester = createCommandAgent({
  command: "npm",
  args: ["test"],
  toMeta: ({ exitCode, output }) => ({
    status: exitCode === 0 ? "passed" : "failed",
    commands: [{ command: "npm test", exitCode }],
    failure: exitCode === 0 ? null : output,
  }),
});

const MESSAGE = "fix: put one hyphen between words, and none at the ends";

const committer = createCommandAgent({
  command: "sh",
  args: ["-c", `git add --all && git commit --quiet --message '${MESSAGE}' && git rev-parse HEAD`],
  toMeta: ({ exitCode, output }) => ({
    commit: exitCode === 0 ? output.trim() : null,
    message: MESSAGE,
    reason: exitCode === 0 ? null : output || "git said nothing",
  }),
});

export const run = createWorkflow(developUncheckedDefinition, {
  adapter: namedAgent(),
  overrides: { tester, committer },
});
export const descriptor = buildDescriptor(developUncheckedDefinition);
