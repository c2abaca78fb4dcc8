/** Source of a workflow whose bundle misbehaves at its second step, as long as the working directory has no file
 *  `tame`. The prompt says how: `loops`, `exits`, `fills` (its memory), or `waits` for the file. With a file `once`,
 *  the second attempt at the step succeeds. Every step that begins appends a line to `began-<threadId>`. */
export const WILD_WORKFLOW = `
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { buildDescriptor, createWorkflow, defineRole, defineWorkflow, END, START } from "@uncaged/workflow-runtime";
import { z } from "zod";

const definition = defineWorkflow({
  description: "misbehaves",
  roles: {
    beast: defineRole({
      description: "does one step",
      systemPrompt: "Do the next step.",
      schema: z.object({ step: z.number() }),
      extractRefs: null,
    }),
  },
  table: {
    [START]: [{ condition: "FALLBACK", role: "beast" }],
    beast: [
      { condition: { name: "more", when: "last.meta.step < 3" }, role: "beast" },
      { condition: "FALLBACK", role: END },
    ],
  },
});

const adapter = (_prompt, schema) => async (ctx, runtime) => {
  const { cwd, processTag } = runtime.step;
  const step = ctx.steps.length + 1;
  const began = cwd + "/began-" + processTag.split(":")[0];
  appendFileSync(began, step + "\\n");
  const isTame = () => existsSync(cwd + "/tame");
  const how = ctx.start.content;
  const attempts = readFileSync(began, "utf8").split("\\n").filter((line) => line === "2").length;
  const isOver = how !== "waits" && existsSync(cwd + "/once") && attempts > 1;
  if (step === 2 && !isTame() && !isOver) {
    if (how === "loops") while (true) Math.random();
    if (how === "exits") process.exit(3);
    if (how === "fills") for (const all = []; ; ) all.push(new Array(1e6).fill(Math.random()));
    while (!isTame()) await sleep(10, undefined, { signal: runtime.signal });
  }
  return { meta: schema.parse({ step }), childThread: null };
};

export const run = createWorkflow(definition, { adapter, overrides: null });
export const descriptor = buildDescriptor(definition);
`;
