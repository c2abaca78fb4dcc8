/** The `develop` template with agents bound to its roles. Tester and committer do real work; planner, coder
 *  and reviewer play recordings, so that the demo needs no model. */
import { createCommandAgent } from "@uncaged/workflow-agent-command";
import { buildDescriptor, createWorkflow } from "@uncaged/workflow-runtime";
import { developUncheckedDefinition } from "@uncaged/workflow-template-develop";

const folder = process.env.DEMO_FOLDER ?? ".";
const passEnv = ["DEMO_RECORDINGS", "DEMO_CLI"];

const recorded = createCommandAgent({
  command: process.execPath,
  args: [`${folder}/recorded.mjs`],
  output: "json",
  passEnv,
});

const tester = createCommandAgent({
  command: "npm",
  args: ["test"],
  toMeta: ({ exitCode, output }) => ({
    status: exitCode === 0 ? "passed" : "failed",
    commands: [{ command: "npm test", exitCode }],
    failure: exitCode === 0 ? null : output,
  }),
});

const committer = createCommandAgent({
  command: process.execPath,
  args: [`${folder}/commit.mjs`],
  output: "json",
});

export const run = createWorkflow(developUncheckedDefinition, {
  adapter: recorded,
  overrides: { tester, committer },
});
export const descriptor = buildDescriptor(developUncheckedDefinition);
