/** Sources of two workflows for tests: `lead`, whose role coordinates, played by a stand-in that has its conversation in
 *  a file, and `chore`, which its workers run.
 *
 *  The prompt of `lead` is JSON: `tasks`, each `{ title, prompt, workflow?, agent? }`, which it starts as far as it may,
 *  and the rest when it hears that something has ended; `told`, per title, what it tells that worker when that ends
 *  first; `stop`, titles that it stops at once; `fails`, it fails after the first news. What is said to it is a line
 *  of `heard` in its directory, what its tools answer a line of `told`.
 *
 *  The first line of a chore's prompt is JSON, too: `sleepMs`, `gate` (a file it waits for), `says`, `fails`, `asks`,
 *  `tokens`, `starts` (a workflow that it tries to start). Each run appends its name to `ran`. */
const HEAD = `
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START, SUSPEND } from "@uncaged/workflow-runtime";
import { z } from "zod";
const record = (name, runtime, startedAt, tokens) => ({
  agent: { name, version: "1" }, session: name + "-session", prompt: null, startedAt, completedAt: Date.now(),
  usage: { inputTokens: tokens, outputTokens: 0, cachedInputTokens: 0, costUsd: null }, cwd: runtime.step.cwd, evidence: [], policy: "held",
});
`;

export function leadWorkflow(coordinates: object, limits: object = {}): string {
  return `${HEAD}
const definition = defineWorkflow({
  description: "a coordinator and what it is told",
  roles: {
    lead: defineRole({
      description: "divides the work",
      systemPrompt: "Divide the work.",
      schema: z.object({ heard: z.number() }),
      extractRefs: null,
      coordinates: ${JSON.stringify(coordinates)},
    }),
  },
  table: { [START]: [{ condition: "FALLBACK", role: "lead" }], lead: [{ condition: "FALLBACK", role: END }] },
  limits: ${JSON.stringify(limits)},
});
const lead = (_prompt, schema) => async (ctx, { step, workers, signal }) => {
  const startedAt = Date.now();
  const { tasks = [], told = {}, stop = [], fails = false } = JSON.parse(ctx.start.content);
  const note = (file, text) => appendFileSync(step.cwd + "/" + file, JSON.stringify(text) + "\\n");
  const use = async (name, input) => {
    const answer = await workers.tools.find((tool) => tool.name === name).call(input);
    note("told", { name, ...answer });
    return answer.ok ? JSON.parse(answer.text) : null;
  };
  const list = async () => JSON.parse((await workers.tools.find(({ name }) => name === "worker_list").call({})).text);
  const own = await workers.session();
  note("heard", own === null ? await workers.manners() : await workers.resumed());
  const startMissing = async () => {
    for (const task of tasks) {
      if ((await list()).some(({ title }) => title === task.title)) continue;
      if ((await use("worker_spawn", task)) === null) return;
    }
  };
  await startMissing();
  for (const title of stop) await use("worker_stop", { id: (await list()).find((each) => each.title === title).id });
  const turn = { agent: "lead", session: "lead-session", rawUsage: null };
  let heard = 0;
  for (let news = await workers.news(turn, signal); news !== null; news = await workers.news(turn, signal)) {
    note("heard", news);
    heard += 1;
    if (fails) throw new Error("the coordinator gave up");
    for (const { id, title, status } of await list()) {
      const text = told[title];
      if ((status !== "completed" && status !== "waiting") || text === undefined) continue;
      delete told[title];
      await use("worker_message", { id, text });
    }
    await startMissing();
  }
  return { meta: schema.parse({ heard }), childThread: null, content: "all done", run: record("lead", { step }, startedAt, 10) };
};
export const run = createWorkflow(definition, { adapter: Object.assign(lead, { holdsPolicy: true }), overrides: null });
export const descriptor = buildDescriptor(definition);
`;
}

export const CHORE: string = `${HEAD}
const definition = defineWorkflow({
  description: "a piece of work",
  roles: {
    hand: defineRole({ description: "does it", systemPrompt: "Do it.", schema: z.object({ ask: z.boolean(), more: z.boolean() }), extractRefs: null }),
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "hand" }],
    hand: [
      { condition: { name: "asks", when: "last.meta.ask" }, role: SUSPEND, prompt: "Which colour?" },
      { condition: { name: "more", when: "last.meta.more" }, role: "hand" },
      { condition: "FALLBACK", role: END },
    ],
  },
});
const hand = (_prompt, schema) => async (ctx, runtime) => {
  const startedAt = Date.now();
  const { step, signal } = runtime;
  const { name, sleepMs = 0, gate, says, fails, asks, tokens = 5, starts, rounds = 1 } = JSON.parse(ctx.start.content.split("\\n")[0]);
  appendFileSync(step.cwd + "/ran", name + "." + (ctx.steps.length + 1) + "\\n");
  await sleep(sleepMs, undefined, { signal });
  while (gate && !existsSync(step.cwd + "/" + gate)) await sleep(10, undefined, { signal });
  if (fails) throw new Error(fails);
  if (starts) await runtime.runChild({ workflow: starts, prompt: "{}" });
  const told = ctx.steps.length > 0 && step.route?.from === "hand" ? step.route.prompt : null;
  const ask = asks === true && ctx.steps.length === 0;
  const content = told === null ? (says ?? name + " is done") : name + " heard " + told + " in " + step.previousSession;
  return { meta: schema.parse({ ask, more: ctx.steps.length + 1 < rounds }), childThread: null, content, run: record("hand", runtime, startedAt, tokens) };
};
export const run = createWorkflow(definition, { adapter: hand, overrides: null });
export const descriptor = buildDescriptor(definition);
`;
