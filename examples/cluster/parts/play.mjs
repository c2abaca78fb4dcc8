import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readJournal } from "./journal.mjs";
import { makeMachine } from "./machine.mjs";
import { report } from "./report.mjs";
import { startPostgres, startRemote, startS3 } from "./services.mjs";

const WORKFLOW = fileURLToPath(new URL("../workflow.yaml", import.meta.url));
const WORKERS = ["ada", "bob", "cyd"];
const WORK_MS = 500;
const KILL_EVERY_MS = 2_000;
const KILL_PATIENCE_MS = 30_000;
const DOWN_MS = 1_000;
const PATIENCE_MS = 900_000;
const AT_ONCE = 3;

/** False: something is not as it should be. */
export async function play(stage) {
  const { threads, kills, signal } = stage;
  const since = Date.now();
  const says = (line) =>
    console.log(`${((Date.now() - since) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const [postgres, s3, { remote, repository }] = await Promise.all([
    startPostgres(stage),
    startS3(stage),
    startRemote(stage),
  ]);
  says("PostgreSQL, an S3 server and a git remote are up");

  const place = { postgres, bucket: s3.bucket, workMs: WORK_MS };
  const office = makeMachine(stage, "office", place);
  const workers = WORKERS.map((name) => makeMachine(stage, name, place));
  // The first machine makes the tables.
  const gateway = await startGateway(office);
  says(`the gateway is up at ${gateway.url}`);
  await office.run(["workflow", "add", "part", WORKFLOW]);
  await Promise.all(
    workers.map((worker) => worker.start(["worker", "start", "--pool", "default"])),
  );
  says(`${workers.length} workers are up: ${WORKERS.join(", ")}`);

  const started = startThreads(office, { threads, repository, signal });
  const killing = killWorkers(stage, workers, { kills, signal, says });
  const ids = await started;
  says(`${ids.length} threads are started`);
  await killing;
  await untilEnded(office, ids, { signal, says });
  return report({ stage, office, workers, gateway, ids, remote, s3, says });
}

/** With this root's engine connected to it. */
async function startGateway(office) {
  const { origin: url } = await office.start(["gateway", "--port", "0"]);
  const token = async (words) => (await office.run(["gateway", "token", "add", ...words])).token;
  const engine = await token(["office", "--engine"]);
  const reader = await token(["reader", "--allow", "read"]);
  const more = { UNCAGED_GATEWAY_TOKEN: engine };
  await office.start(["connect", "--gateway", url], { more });
  const threads = async () => {
    const headers = { Authorization: `Bearer ${reader}` };
    const answer = await fetch(`${url}/api/c/office/threads?limit=999`, { headers });
    if (!answer.ok) throw new Error(`the gateway answers ${answer.status}: ${await answer.text()}`);
    return (await answer.json()).threads;
  };
  return { url, threads };
}

async function startThreads(office, { threads, repository, signal }) {
  const left = Array.from({ length: threads }, (_, at) => at + 1);
  const ids = [];
  const starter = async () => {
    for (let at = left.shift(); at !== undefined && !signal.aborted; at = left.shift()) {
      const words = ["run", "part", "--queue", "--cwd", repository, "--title", `part ${at}`];
      ids.push((await office.run([...words, "--prompt", `plan part ${at}`])).threadId);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, starter));
  return ids.sort();
}

/** Whichever has just begun a step, in the middle of it; it is up again a second later. */
async function killWorkers({ folder }, workers, { kills, signal, says }) {
  const journal = join(folder, "journal");
  for (let kill = 0; kill < kills; kill += 1) {
    const before = readJournal(journal).length;
    const giveUpAt = Date.now() + KILL_PATIENCE_MS;
    while (readJournal(journal).length === before && Date.now() < giveUpAt)
      await sleep(50, undefined, { signal });
    const last = readJournal(journal).at(-1);
    const worker = workers.find(({ name }) => name === last?.worker) ?? workers[0];
    await worker.kill();
    says(`${worker.name} is killed`);
    await sleep(DOWN_MS, undefined, { signal });
    await worker.start(["worker", "start", "--pool", "default"]);
    await sleep(KILL_EVERY_MS, undefined, { signal });
  }
}

async function untilEnded(office, ids, { signal, says }) {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (let before = -1; ; ) {
    const { threads } = await office.run(["thread", "list", "--limit", "1000"]);
    const ended = threads.filter(({ status }) => status === "completed").length;
    const failed = threads.filter(({ status }) => status === "failed" || status === "aborted");
    if (failed.length > 0) throw new Error(`thread ${failed[0].threadId} ${failed[0].status}`);
    if (ended !== before) says(`${ended} of ${ids.length} threads have completed`);
    if (ended === ids.length) return;
    before = ended;
    if (Date.now() > giveUpAt) throw new Error("the threads do not complete");
    await sleep(2_000, undefined, { signal });
  }
}
