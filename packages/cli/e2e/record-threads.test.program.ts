/** Process of a test: `record-threads.test.program.ts <root> <workflow> <count>` runs that many threads to their ends,
 *  with the prompts "1", "2", …, and prints their ids, one per line. */
import { execThread, openEngine, startThread } from "@uncaged/workflow-execute";

const [, , root = "", workflow = "", count = "0"] = process.argv;
const engine = await openEngine({ root, packagesBase: import.meta.url });
const signal = new AbortController().signal;
for (let seed = 1; seed <= Number(count); seed += 1) {
  const started = await startThread(engine, {
    ...{ workflow, prompt: String(seed), cwd: root, startKey: null, limits: null },
    starter: null,
    run: "idle",
  });
  if (!started.ok) throw new Error(started.error.message);
  const ended = await execThread(engine, started.value, { count: 200, signal });
  if (!ended.ok) throw new Error(ended.error.message);
  console.log(ended.value.threadId);
}
await engine.store.close();
