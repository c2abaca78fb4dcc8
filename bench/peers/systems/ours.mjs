/** The real engine in this process, on a fresh storage root, with the steady workflow. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openSteadyEngineInPostgres } from "../../parts/postgres-engine.mjs";
import {
  addBenchWorkflow,
  fanOut,
  idleThread,
  makeSteps,
  openSteadyEngine,
} from "../../parts/steady-engine.mjs";
import { startPostgres } from "../start-postgres.mjs";

const MANIFEST = fileURLToPath(import.meta.resolve("@uncaged/workflow-execute/package.json"));

/** Also with a workflow that fans out. */
export async function openOurs(folder, { store }) {
  const engine = await openSteadyEngine(folder, { store });
  await addBenchWorkflow(engine, folder, "fan");
  return {
    version: version(),
    thread: (steps, between) => thread(engine, steps, between),
    fan: async (members) => (await fanOut(engine, members)).map(({ meta }) => meta.step),
    rest: async () => {
      await engine.cas.flush();
    },
    close: () => engine.store.close(),
  };
}

/** With its root in a PostgreSQL of its own, as shipped. */
export async function openOursInPostgres(folder) {
  const postgres = await startPostgres(folder);
  const { engine, close } = await openSteadyEngineInPostgres(folder, `${postgres.url}/postgres`);
  return {
    version: `${version()}, ${postgres.version}`,
    thread: (steps, between) => thread(engine, steps, between),
    async close() {
      await close();
      await postgres.stop();
    },
  };
}

async function thread(engine, steps, between) {
  globalThis.betweenSteps = between;
  const { threadId } = await idleThread(engine);
  await makeSteps(engine, threadId, steps);
}

function version() {
  return JSON.parse(readFileSync(MANIFEST, "utf8")).version;
}
