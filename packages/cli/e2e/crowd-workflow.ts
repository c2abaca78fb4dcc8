/** Source of a workflow that records what runs at the same time. A step has a file in `running/` of the working
 *  directory that names its process; files of killed processes are left behind and do not count. Each step appends
 *  the number of running steps, itself included, to `crowd`, and its thread to `began`.
 *
 *  The prompt is JSON: `steps` (default 3), `sleepMs` for each step, and `gate`, a file that each step waits for. */
export const CROWD_WORKFLOW = `
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: "is one of many",
  roles: {
    one: defineRole({
      description: "does one step",
      systemPrompt: "Do the next step.",
      schema: z.object({ left: z.number() }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "one" }],
    one: [
      { condition: { name: "more", when: "last.meta.left > 0" }, role: "one" },
      { condition: "FALLBACK", role: END },
    ],
  },
});

const lives = (pid) => { try { return process.kill(Number(pid), 0); } catch { return false; } };

const adapter = (_prompt, schema) => async (ctx, runtime) => {
  const { steps = 3, sleepMs = 0, gate } = JSON.parse(ctx.start.content);
  const { cwd, processTag } = runtime.step;
  const thread = processTag.split(":")[0];
  const running = cwd + "/running";
  mkdirSync(running, { recursive: true });
  const own = running + "/" + thread;
  writeFileSync(own, String(process.pid));
  try {
    const others = readdirSync(running).map((name) => { try { return readFileSync(running + "/" + name, "utf8"); } catch { return ""; } });
    appendFileSync(cwd + "/crowd", others.filter((pid) => pid !== "" && lives(pid)).length + "\\n");
    appendFileSync(cwd + "/began", thread + "\\n");
    await sleep(sleepMs, undefined, { signal: runtime.signal });
    while (gate && !existsSync(cwd + "/" + gate)) await sleep(10, undefined, { signal: runtime.signal });
  } finally {
    rmSync(own, { force: true });
  }
  return { meta: schema.parse({ left: steps - ctx.steps.length - 1 }), childThread: null };
};

export const run = createWorkflow(definition, { adapter, overrides: null });
export const descriptor = buildDescriptor(definition);
`;
