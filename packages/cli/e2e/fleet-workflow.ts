/** Sources of two workflows for tests: `fleet`, the template with stand-ins for its agents, and `develop`, which its workers
 *  run. Each worker commits one file, whose name is its title; the lead begins with `good` and `broken`, and has what the
 *  queue sends back made again as `mended`. The merger gives the commands of its prompt, by the built command `bin`. */
const HEAD = `
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from "@uncaged/workflow-runtime";
const played = (adapter) => Object.assign((_prompt, schema) => async (ctx, runtime) => {
  const { cwd } = runtime.step;
  const startedAt = Date.now();
  const meta = schema.parse(await adapter(ctx, runtime));
  const run = {
    agent: { name: "stand-in", version: "1" }, session: "one", prompt: null, startedAt, completedAt: Date.now(),
    usage: null, cwd, evidence: [], policy: "held",
  };
  return { meta, childThread: null, run };
}, { holdsPolicy: true });
`;

export const WORK: string = `${HEAD}
import { z } from "zod";
const definition = defineWorkflow({
  description: "commits a file",
  roles: {
    coder: defineRole({ description: "", systemPrompt: "", schema: z.object({ commit: z.string() }), extractRefs: null }),
  },
  table: { [START]: [{ condition: "FALLBACK", role: "coder" }], coder: [{ condition: "FALLBACK", role: END }] },
});
const coder = played(async (ctx, { step: { cwd } }) => {
  const [name] = ctx.start.content.split("\\n");
  const git = (...args) => execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8" });
  writeFileSync(cwd + "/" + name, name);
  git("add", "-A");
  git("commit", "-qm", name);
  return { commit: git("rev-parse", "HEAD").trim() };
});
export const run = createWorkflow(definition, { adapter: coder, overrides: null });
export const descriptor = buildDescriptor(definition);
`;

export function fleetWorkflow(bin: string): string {
  return `${HEAD}
import { fleetWorkflowDefinition } from "@uncaged/workflow-template-fleet";
const lead = played(async (ctx, { step, workers, signal }) => {
  const use = async (name, input) => JSON.parse((await workers.tools.find((tool) => tool.name === name).call(input)).text);
  await workers.manners();
  const turn = ctx.steps.length === 0 ? ["good", "broken"] : ["mended"];
  for (const title of turn) await use("worker_spawn", { title, prompt: title });
  const ended = { agent: "stand-in", session: "one", rawUsage: null };
  while ((await workers.news(ended, signal)) !== null);
  const done = await use("worker_list", {});
  return {
    status: "done",
    parts: done.map(({ title, thread }) => ({ task: title, branch: "uncaged/work-" + thread, summary: "It adds " + title + "." })),
    report: "It is done.",
  };
});
const merger = played(async (_ctx, { step }) => {
  // Tagged, as every program of a step is: by that the queue knows in which role it is called.
  const env = { ...process.env, UNCAGED_RUN_MARK: step.processTag + ":STANDIN1" };
  const behind = [];
  const task = (cwd, ...args) => {
    const ran = spawnSync(process.execPath, [${JSON.stringify(bin)}, "--json", "task", ...args], { cwd, encoding: "utf8", env });
    for (const [, command] of ran.stderr.matchAll(/git -C \\S+ (read-tree .*HEAD)/g)) behind.push(command);
    if (ran.stdout === "") throw new Error(args.join(" ") + ": " + ran.stderr);
    return JSON.parse(ran.stdout);
  };
  for (const [, name, branch, summary] of step.route.prompt.matchAll(/^- (\\S+) \\(branch (\\S+)\\): (.*)$/gm)) {
    const { task: { worktree } } = task(step.cwd, "spawn", name, "--from", branch, "--description", summary);
    task(worktree, "start");
    task(worktree, "done");
    task(step.cwd, "approve", name);
  }
  const { tasks } = task(step.cwd, "merge", "--all");
  for (const command of behind) execFileSync("git", command.split(" "), { cwd: step.cwd });
  const [landed, left] = [true, false].map((is) => tasks.filter(({ outcome }) => (outcome === "merged") === is));
  return {
    landed: landed.map(({ task: { id } }) => id),
    left: left.map(({ task: { id }, reason }) => ({ task: id, reason: reason.message })),
  };
});
export const run = createWorkflow(fleetWorkflowDefinition, { adapter: lead, overrides: { merger } });
export const descriptor = buildDescriptor(fleetWorkflowDefinition);
`;
}
