/** What one decision of the `develop` table costs, with the prompt of the edge it takes, in a short and in
 *  a long thread, each after one more step was made. Bars: 1 ms at 10,000 steps, 3 × the cost at 100. */
import { fillTemplate, pickRoute } from "@uncaged/workflow-moderator";
import { buildDescriptor } from "@uncaged/workflow-runtime";
import { developUncheckedDefinition } from "@uncaged/workflow-template-develop";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";

const SHORT = 100;
const LONG = 10_000;
const PHASES = 20;
const ROUNDS = 600;

const { edges } = buildDescriptor(developUncheckedDefinition).graph;
const CASES = [
  { what: "decision", decide: (ctx) => pickRoute(edges, ctx) },
  {
    what: "decision and its prompt",
    decide: async (ctx) => {
      const { to, matched } = await pickRoute(edges, ctx);
      return { to, prompt: await fillTemplate(matched.prompt, ctx) };
    },
  },
];

for (const { what, decide } of CASES) {
  const threads = { short: threadOf(SHORT), long: threadOf(LONG) };
  const times = { short: [], long: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, ctx] of Object.entries(threads)) {
      times[name].push(await timedDecision(ctx, decide));
    }
  }
  const settled = (name) => median(times[name].slice(ROUNDS / 2));
  printTable(`develop: ${what}, median of ${ROUNDS / 2}`, [
    { what: `from ${SHORT} steps on`, figure: ms(settled("short")) },
    {
      what: `from ${LONG} steps on`,
      figure: ms(settled("long")),
      ratio: settled("long") / settled("short"),
      bar: "1 ms, 3 ×",
    },
  ]);
}

await withEvaluator();

/** A rule that does more than a list of safe things is evaluated in a process of its own. Beside it, as small a rule that
 *  is evaluated in place. */
async function withEvaluator() {
  const ways = [
    { what: "in place", when: "$count(last.role) > 100" },
    { what: "in the evaluator's process", when: "$length(last.role) > 100" },
  ];
  const ctx = threadOf(SHORT);
  const asked = ways.map(({ what, when }) => {
    const many = { from: "coder", to: "planner", condition: "many", when };
    const otherwise = { from: "coder", to: "coder", condition: "FALLBACK", when: null };
    return { what, rules: [many, otherwise], times: [] };
  });
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { rules, times } of asked)
      times.push(await timedDecision(ctx, (seen) => pickRoute(rules, seen)));
  const [inPlace, apart] = asked.map(({ times }) => median(times.slice(ROUNDS / 2)));
  printTable(`a small rule, median of ${ROUNDS / 2}`, [
    { what: asked[0].what, figure: ms(inPlace) },
    { what: asked[1].what, figure: ms(apart), ratio: apart / inPlace },
    { what: "what the process adds", figure: ms(apart - inPlace), bar: "0.3 ms" },
  ]);
}

/** After one more step of the coder, who still has a phase to do. */
async function timedDecision(ctx, decide) {
  ctx.steps.push(coded(ctx.steps.length));
  const startedAt = performance.now();
  const { to } = await decide(ctx);
  const tookMs = performance.now() - startedAt;
  if (to !== "coder") throw new Error(`the table went to ${to}, with a phase still open`);
  return tookMs;
}

/** A thread that planned once and is coded and sent back ever since. */
function threadOf(length) {
  const steps = [planned()];
  while (steps.length < length) steps.push(coded(steps.length));
  const start = { role: "__start__", content: "Do it.", meta: {}, timestamp: 0, parentState: null };
  return { threadId: "01KAJ2Z6PVX0000000000000ZZ", depth: 0, start, steps };
}

function planned() {
  const phases = Array.from({ length: PHASES }, (_, at) => ({
    hash: phaseHash(at),
    title: `Phase ${at}`,
  }));
  return step("planner", { status: "planned", phases, reason: null });
}

/** Of the phases all but the last are completed, again and again. */
function coded(at) {
  const completedPhase = phaseHash(at % (PHASES - 1));
  return step("coder", { completedPhase, summary: `Step ${at}.`, changedFiles: [`src/${at}.ts`] });
}

function phaseHash(at) {
  return String(at).padStart(13, "0");
}

function step(role, meta) {
  const parsed = developUncheckedDefinition.roles[role].schema.parse(meta);
  return { role, meta: parsed, contentHash: "0".repeat(13), refs: [], timestamp: 0 };
}
