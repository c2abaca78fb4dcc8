/** Cost of one decision in a short and in a long thread, each after one more step.
 *
 *  Bars: with the projection at most 1 ms at 10,000 steps, and at most three times the cost at 100.
 *  The last line is for comparison: a rule that reads the whole history once. */
import { fillTemplate, pickRoute } from "@uncaged/workflow-moderator";

const PHASES = 50;
const ROUNDS = 400;

const phases = "byRole.planner.last.meta.phases";
const open = `${phases}[$not($exists($lookup($$.byRole.coder.tally.completedPhase, hash)))]`;

/** A table of the usual kind: plans, codes by phases, reviews and tests. */
const develop = [
  { from: "__start__", to: "planner", when: null },
  { from: "planner", to: "__end__", when: "last.meta.status = 'aborted'" },
  { from: "planner", to: "coder", when: null },
  { from: "coder", to: "reviewer", when: `$count(${open}) = 0` },
  { from: "coder", to: "coder", when: null },
  { from: "reviewer", to: "tester", when: "last.meta.status = 'approved'" },
  { from: "reviewer", to: "coder", when: null },
  { from: "tester", to: "committer", when: "last.meta.status = 'passed'" },
  { from: "tester", to: "coder", when: null },
  { from: "committer", to: "__end__", when: null },
];
const prompt = `Do the next open phase: {{ ${open}[0].title }}`;
const perHistory = [
  {
    from: "coder",
    to: "x",
    when: "$count($distinct(steps[role='coder'].meta.completedPhase)) = 50",
  },
];

const step = (role, meta) => ({ role, meta, contentHash: "0".repeat(13), refs: [], timestamp: 0 });

/** A thread that planned once and has alternated between coding and review ever since. */
function thread(steps) {
  const plan = Array.from({ length: PHASES }, (_, at) => ({
    hash: `H${at}`,
    title: `phase ${at}`,
  }));
  const made = [step("planner", { status: "planned", phases: plan })];
  while (made.length < steps) {
    const at = made.length;
    if (at % 3 === 0) made.push(step("reviewer", { status: "rejected", findings: ["no"] }));
    else
      made.push(
        step("coder", { completedPhase: `H${at % (PHASES - 1)}`, changed: [`file-${at}`] }),
      );
  }
  return made;
}

function context(steps) {
  const start = { role: "__start__", content: "do it", meta: {}, timestamp: 0, parentState: null };
  return { threadId: "01KAJ2Z6PVX0000000000000ZZ", depth: 0, start, steps };
}

/** Median milliseconds of `decide` after each of some further coder steps. */
async function cost(length, rounds, decide) {
  const steps = thread(length);
  const ctx = context(steps);
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    steps.push(step("coder", { completedPhase: `H${round % (PHASES - 1)}`, changed: [] }));
    const startedAt = performance.now();
    await decide(ctx);
    times.push(performance.now() - startedAt);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)];
}

const cases = [
  {
    name: "decision of a table like develop's",
    decide: (ctx) => pickRoute(develop, ctx),
    rounds: ROUNDS,
  },
  {
    name: "the same and its edge prompt",
    decide: async (ctx) => [await pickRoute(develop, ctx), await fillTemplate(prompt, ctx)],
    rounds: ROUNDS,
  },
  { name: "steps[role='coder'] once", decide: (ctx) => pickRoute(perHistory, ctx), rounds: 20 },
];

console.log(
  `${"".padEnd(34)}${"100 steps".padStart(12)}${"10,000 steps".padStart(14)}${"ratio".padStart(8)}`,
);
for (const { name, decide, rounds } of cases) {
  await cost(100, rounds, decide);
  const short = await cost(100, rounds, decide);
  const long = await cost(10_000, rounds, decide);
  console.log(
    `${name.padEnd(34)}${`${short.toFixed(3)} ms`.padStart(12)}${`${long.toFixed(3)} ms`.padStart(14)}${(long / short).toFixed(1).padStart(8)}`,
  );
}
