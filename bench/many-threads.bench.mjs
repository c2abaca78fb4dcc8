/** Looking at a storage root with 100,000 threads, all at rest and most of them old, beside one with 10: `list` of the
 *  newest, of the last hour and of those that run, `ps`, `inbox`. Bar: 1.5 × the small root, start-up included. */
import { openThreadStore } from "@uncaged/workflow-store";
import { newThreadId } from "@uncaged/workflow-util";
import { COMMAND, timedRounds } from "./parts/command.mjs";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";

const ROUNDS = 9;
const FEW = 10;
const YOUNG = 5;
const DAY_MS = 86_400_000;
const MANY = 100_000;
const BAR = "1.5 ×";

const LOOKS = {
  "list --limit 10": ["list", "--limit", "10"],
  "list --since 1h": ["list", "--since", "1h"],
  "list --status running": ["list", "--status", "running"],
  ps: ["ps"],
  inbox: ["inbox"],
};

/** How many threads each shows. */
const EXPECTED = { "list --limit 10": FEW, "list --since 1h": YOUNG };

await withScratchFolder(async (folder) => {
  const few = await rootOf(`${folder}/few`, FEW);
  const many = await rootOf(`${folder}/many`, MANY);
  for (const [what, words] of Object.entries(LOOKS)) {
    const looks = { few: look(few, words), many: look(many, words) };
    timedRounds(looks, 1);
    const times = timedRounds(looks, ROUNDS);
    const ratio = median(times.many.map((time, round) => time / times.few[round]));
    printTable(`${what} --json, start-up included, median of ${ROUNDS}`, [
      { what: `${FEW} threads`, figure: ms(median(times.few)) },
      { what: `${MANY} threads`, figure: ms(median(times.many)), ratio, bar: BAR },
    ]);
  }
});

/** A storage root with so many threads. */
async function rootOf(root, count) {
  const store = await openThreadStore(root);
  for (let made = 0; made < count; made += 1) {
    const ageMs = count - made <= YOUNG ? 0 : DAY_MS;
    await store.create(threadOf(root, Date.now() - ageMs), null);
  }
  await store.close();
  return root;
}

function look(root, words) {
  return {
    root,
    args: [COMMAND, ...words, "--json"],
    check: (stdout) => {
      const { threads } = JSON.parse(stdout);
      if (threads.length !== (EXPECTED[words.join(" ")] ?? 0))
        throw new Error(`${words.join(" ")}: ${threads.length}`);
    },
  };
}

/** Only listed, never run: its hashes name nothing. */
function threadOf(root, createdAt) {
  const nothing = "0".repeat(13);
  return {
    ...{
      threadId: newThreadId(createdAt),
      workflow: "bench",
      bundleHash: nothing,
      startHash: nothing,
    },
    ...{ head: nothing, headSha256: "0".repeat(64), stepCount: 3, depth: 0, parentThread: null },
    ...{ cwd: root, forkedFrom: null, startedAt: createdAt, createdAt },
  };
}
