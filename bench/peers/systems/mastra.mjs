/** Mastra with LibSQL: a workflow of as many steps as the thread has, one after the other, because a step
 *  that repeats (`dountil`) is written down only when its loop has ended. Everything as shipped: after
 *  each step a snapshot of the whole run is written, and flushed by the database's checkpoints only. */
import { join } from "node:path";
import { Mastra } from "@mastra/core";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { LibSQLStore } from "@mastra/libsql";
import { z } from "zod";
import { ANSWER } from "../../parts/answer.mjs";
import { versionOf } from "../version-of.mjs";

const State = z.object({ step: z.number(), content: z.string() });

export function openMastra(folder) {
  const storage = new LibSQLStore({ id: "bench", url: `file:${join(folder, "mastra.db")}` });
  return {
    version: `${versionOf("@mastra/core")}, libsql ${versionOf("@mastra/libsql")}`,
    async thread(steps, between) {
      const workflows = { thread: workflowOf(steps, between) };
      const mastra = new Mastra({ workflows, storage, logger: false });
      const run = await mastra.getWorkflow("thread").createRun();
      const { status } = await run.start({ inputData: { step: 0, content: "" } });
      if (status !== "success") throw new Error(`the run ended with ${status}`);
    },
    close() {},
  };
}

function workflowOf(steps, between) {
  let workflow = createWorkflow({ id: "thread", inputSchema: State, outputSchema: State });
  for (let made = 0; made < steps; made += 1) {
    const worker = createStep({
      id: `worker-${made}`,
      inputSchema: State,
      outputSchema: State,
      async execute({ inputData: { step } }) {
        await between();
        return { step: step + 1, content: `${step + 1}: ${ANSWER}` };
      },
    });
    workflow = workflow.then(worker);
  }
  return workflow.commit();
}
