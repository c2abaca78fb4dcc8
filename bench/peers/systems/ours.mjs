/** The real engine in this process, on a fresh storage root, with the steady workflow and one that fans out. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  addBenchWorkflow,
  fanOut,
  idleThread,
  makeSteps,
  openSteadyEngine,
} from "../../parts/steady-engine.mjs";

const MANIFEST = fileURLToPath(import.meta.resolve("@uncaged/workflow-execute/package.json"));

export async function openOurs(folder, { store }) {
  const engine = await openSteadyEngine(folder, { store });
  await addBenchWorkflow(engine, folder, "fan");
  return {
    version: JSON.parse(readFileSync(MANIFEST, "utf8")).version,
    async thread(steps, between) {
      globalThis.betweenSteps = between;
      const { threadId } = await idleThread(engine);
      await makeSteps(engine, threadId, steps);
    },
    fan: async (members) => (await fanOut(engine, members)).map(({ meta }) => meta.step),
    rest: async () => {
      await engine.cas.flush();
    },
    close: () => engine.store.close(),
  };
}
