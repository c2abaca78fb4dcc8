/** DBOS on PostgreSQL: a workflow that calls one step in a loop. Everything as shipped: PostgreSQL
 *  flushes each commit, and a step's result is committed before the next begins. */
import { DBOS } from "@dbos-inc/dbos-sdk";
import { ANSWER } from "../../parts/answer.mjs";
import { startPostgres } from "../start-postgres.mjs";
import { versionOf } from "../version-of.mjs";

export async function openDbos(folder) {
  const postgres = await startPostgres(folder);
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: `${postgres.url}/bench`,
    runAdminServer: false,
    logLevel: "error",
  });
  let between;
  const workflow = DBOS.registerWorkflow(
    async (steps) => {
      for (let step = 1; step <= steps; step += 1) {
        await DBOS.runStep(
          async () => {
            await between();
            return { status: "going", step, content: `${step}: ${ANSWER}` };
          },
          { name: "worker" },
        );
      }
    },
    { name: "thread" },
  );
  const fan = DBOS.registerWorkflow(
    (members) =>
      Promise.all(
        Array.from({ length: members }, (_, at) =>
          DBOS.runStep(async () => ({ status: "going", step: at + 1, content: ANSWER }), {
            name: "worker",
          }),
        ),
      ),
    { name: "fan" },
  );
  await DBOS.launch();
  return {
    version: `${versionOf("@dbos-inc/dbos-sdk")}, ${postgres.version}`,
    async thread(steps, betweenSteps) {
      between = betweenSteps;
      const handle = await DBOS.startWorkflow(workflow)(steps);
      await handle.getResult();
    },
    async fan(members) {
      const handle = await DBOS.startWorkflow(fan)(members);
      return (await handle.getResult()).map(({ step }) => step);
    },
    async close() {
      await DBOS.shutdown();
      await postgres.stop();
    },
  };
}
