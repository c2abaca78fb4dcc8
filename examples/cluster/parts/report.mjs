/** What happened, from the threads themselves, and whether it is as it should be. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readJournal } from "./journal.mjs";
import { git } from "./services.mjs";

const ROUNDS = 3;

/** False: something is not as it should be. */
export async function report({ stage, office, workers, gateway, ids, remote, s3, says }) {
  const threads = [];
  await each(ids, async (id) => {
    threads.push(await office.run(["thread", "show", id]));
  });
  const begun = readJournal(join(stage.folder, "journal"));
  const names = new Map(workers.map((worker) => [worker.id(), worker.name]));
  const steps = threads.flatMap(({ threadId, steps: made }) =>
    made.map((step, at) => ({ threadId, round: at + 1, ...step })),
  );
  const placeOf = ({ workspace }) => names.get(workspace?.saved?.machine.id) ?? "unknown";
  says("verifying");
  const broken = [];
  await each(ids, async (id) => {
    try {
      await office.run(["thread", "verify", id]);
    } catch (error) {
      broken.push(id);
      console.error(`cluster: ${error.message}`);
    }
  });
  const fsck = await office.run(["cas", "fsck"]).catch(() => ({ ok: false }));

  const moved = threads.filter(({ steps: made }) => new Set(made.map(placeOf)).size > 1);
  // A step that began after it had been stored.
  const repeated = begun.filter(({ thread, round, atMs }) =>
    steps.some((step) => step.threadId === thread && step.round === round && atMs > step.timestamp),
  );
  const whole = ids.filter((id) => filesOf(remote, id) === `plan of ${id}\nbuilt\n`);
  const seen = await gateway.threads();
  const healthy = await Promise.all(workers.map((worker) => worker.isHealthy()));
  const ended = await Promise.all(workers.map((worker) => worker.stop()));
  const stillHealthy = await Promise.all(workers.map((worker) => worker.isHealthy()));
  const rows = [
    ["", "killed", "steps made"],
    ...workers.map((worker) => [
      worker.name,
      worker.kills,
      steps.filter((step) => placeOf(step) === worker.name).length,
    ]),
  ];
  console.log(`\n${table(rows)}\n`);
  const facts = [
    [
      "threads completed",
      threads.filter(({ status }) => status === "completed").length,
      ids.length,
    ],
    ["threads that the gateway shows", seen.length, ids.length],
    ["steps stored", steps.length, ids.length * ROUNDS],
    [
      "steps whose files were pushed",
      steps.filter((step) => step.workspace?.saved?.pushed).length,
      ids.length * ROUNDS,
    ],
    ["threads whose last files are right", whole.length, ids.length],
    ["finished steps that began again", repeated.length, 0],
    ["threads that do not verify", broken.length, 0],
    ["blobs that are damaged or missing", fsck.ok ? 0 : 1, 0],
    ["workers that say they are healthy", healthy.filter(Boolean).length, workers.length],
    ["workers that SIGTERM ended in order", ended.filter(Boolean).length, workers.length],
    ["ended workers that say they are healthy", stillHealthy.filter(Boolean).length, 0],
  ];
  const told = [
    ["steps that were begun", begun.length],
    ["of these cut off by a kill", begun.length - steps.length],
    ["threads that went on on another machine", moved.length],
    ["large blobs in S3", countObjects(s3.directory)],
  ];
  console.log(table([["", "is", "should be"], ...facts, ...told.map((row) => [...row, ""])]));
  for (const { threadId, round, run, workspace } of steps)
    if (!workspace?.saved?.pushed)
      console.error(`cluster: thread ${threadId}, step ${round}: ${run?.notes?.join("; ")}`);
  const wrong = facts.filter(([, is, shouldBe]) => is !== shouldBe);
  for (const [name, is, shouldBe] of wrong)
    console.error(`cluster: ${name}: ${is}, not ${shouldBe}`);
  return wrong.length === 0;
}

/** A few at a time. */
async function each(ids, look) {
  const left = [...ids];
  const looker = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) await look(id);
  };
  await Promise.all([looker(), looker(), looker()]);
}

function filesOf(remote, id) {
  try {
    return `${git(remote, "show", `refs/uncaged/${id}:checked.txt`)}\n`;
  } catch {
    return null;
  }
}

const countObjects = (directory) =>
  readdirSync(join(directory, "team"), { recursive: true }).filter((path) =>
    path.endsWith("_object"),
  ).length;

function table(rows) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => String(row[at]).length)));
  const line = (row) =>
    row
      .map((cell, at) =>
        at === 0 ? String(cell).padEnd(widths[at]) : String(cell).padStart(widths[at]),
      )
      .join("  ");
  return rows.map(line).join("\n");
}
