/** `thread list --json` with 10 and with 10,000 threads. Bar: the long list takes 2 × the short one. */
import { openThreadStore } from "@uncaged/workflow-store";
import { newThreadId } from "@uncaged/workflow-util";
import { COMMAND, timedRounds } from "./parts/command.mjs";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";

const ROUNDS = 21;
const FEW = 10;
const MANY = 10_000;

await withScratchFolder(async (folder) => {
  const few = await listing(`${folder}/few`, FEW);
  const many = await listing(`${folder}/many`, MANY);
  timedRounds({ few, many }, 1);
  const times = timedRounds({ few, many }, ROUNDS);
  const ratio = median(times.many.map((time, round) => time / times.few[round]));
  printTable(`thread list --json, start-up included, median of ${ROUNDS}`, [
    { what: `${FEW} threads`, figure: ms(median(times.few)) },
    { what: `${MANY} threads`, figure: ms(median(times.many)), ratio, bar: "2 ×" },
  ]);
});

/** Lists a storage root with so many threads. */
async function listing(root, count) {
  const store = await openThreadStore(root);
  for (let made = 0; made < count; made += 1) await store.create(threadOf(root), null);
  await store.close();
  return {
    root,
    args: [COMMAND, "thread", "list", "--json"],
    check: (stdout) => {
      const { threads } = JSON.parse(stdout);
      if (threads.length !== count) throw new Error(`${threads.length} threads, not ${count}`);
    },
  };
}

/** Only listed, never run: its hashes name nothing. */
function threadOf(root) {
  const now = Date.now();
  const nothing = "0".repeat(13);
  return {
    threadId: newThreadId(now),
    workflow: "bench",
    bundleHash: nothing,
    startHash: nothing,
    head: nothing,
    headSha256: "0".repeat(64),
    stepCount: 3,
    depth: 0,
    parentThread: null,
    cwd: root,
    forkedFrom: null,
    startedAt: now,
    createdAt: now,
  };
}
