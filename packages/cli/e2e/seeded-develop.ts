/** Source of a workflow for tests: the table and the roles of `develop`, played by a script that a seed (the
 *  prompt) decides. It plans, goes wrong and comes right again in as many ways as the table has. */
export const SEEDED_DEVELOP = `
import { buildDescriptor, createWorkflow } from "@uncaged/workflow-runtime";
import { developUncheckedDefinition } from "@uncaged/workflow-template-develop";

/** Pseudorandom numbers from 0 to 1, determined by the seed and the thread's position. */
function chances({ start, steps }) {
  let state = (Number(start.content) * 7919 + steps.length * 104729 + 1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const turns = {
  async planner(ctx, cas, chance) {
    if (chance() < 0.1) return { status: "aborted", phases: [], reason: "unclear" };
    const count = 1 + Math.floor(chance() * 3);
    const phases = [];
    for (let n = 1; n <= count; n += 1)
      phases.push({ hash: await cas.put("phase " + n + " of " + ctx.start.content), title: "Phase " + n });
    return { status: "planned", phases, reason: null };
  },
  async coder(ctx, _cas, chance) {
    const done = new Set(ctx.steps.filter(({ role }) => role === "coder").map(({ meta }) => meta.completedPhase));
    const plan = ctx.steps.findLast(({ role }) => role === "planner").meta.phases;
    const open = plan.filter(({ hash }) => !done.has(hash));
    const completes = open.length > 0 && chance() < 0.75;
    const any = open[Math.floor(chance() * open.length)];
    return { completedPhase: completes ? any.hash : null, summary: "wrote", changedFiles: ["a.ts"] };
  },
  async reviewer(_ctx, _cas, chance) {
    if (chance() < 0.6) return { status: "approved", findings: [] };
    return { status: "rejected", findings: [{ place: "a.ts:1", problem: "wrong" }] };
  },
  async tester(_ctx, _cas, chance) {
    if (chance() < 0.6) return { status: "passed", commands: [{ command: "npm test", exitCode: 0 }], failure: null };
    return { status: "failed", commands: [{ command: "npm test", exitCode: 1 }], failure: "red" };
  },
  async committer(_ctx, _cas, chance) {
    return { commit: chance() < 0.9 ? "a".repeat(40) : null, message: "done", reason: "as it was" };
  },
};

/** A script uses no tools, so it satisfies every policy. */
const play = (_prompt, schema) => async (ctx, { cas, step }) => {
  const meta = schema.parse(await turns[step.role](ctx, cas, chances(ctx)));
  const run = {
    agent: { name: "scripted", version: "1" }, session: null, prompt: null, startedAt: 1, completedAt: 2,
    usage: null, cwd: step.cwd, evidence: [], policy: "held",
  };
  return { meta, childThread: null, run };
};
const adapter = Object.assign(play, { holdsPolicy: true });

export const run = createWorkflow(developUncheckedDefinition, { adapter, overrides: null });
export const descriptor = buildDescriptor(developUncheckedDefinition);
`;
