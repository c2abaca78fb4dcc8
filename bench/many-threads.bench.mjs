/** Queries on a storage root with 100,000 threads, none running and most of them old, compared with one with 10: `list`
 *  of the newest, of the last hour, of those that run, with a label and with a word, `ps`, `inbox`, `costs`. Bars: 1.5 ×
 *  the small root, including start-up, and half a second; where every thread is looked at, only the latter. */
import { openThreadStore } from "@uncaged/workflow-store";
import { newThreadId } from "@uncaged/workflow-util";
import { COMMAND, timedRounds } from "./parts/command.mjs";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";

const ROUNDS = 9;
const FEW = 10;
const YOUNG = 5;
/** A step costs several flushes here, and what it costs to look does not depend on who spent. */
const SPENDING = 1_000;
const DAY_MS = 86_400_000;
const MANY = 100_000;
const BAR = "1.5 ×";
const MOST_MS = 500;
/** Looks that have to read all threads: only the time in all counts. */
const READS_ALL = new Set(["list --label team=core", "list --text none"]);
const PER_STEP = { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 0, costUsd: 0.01 };
const ROLES = ["planner", "coder", "reviewer"];

const LOOKS = {
  "list --limit 10": ["list", "--limit", "10"],
  "list --since 1h": ["list", "--since", "1h"],
  "list --status running": ["list", "--status", "running"],
  "list --label team=core": ["list", "--label", "team=core"],
  "list --text none": ["list", "--text", "none"],
  ps: ["ps"],
  inbox: ["inbox"],
  costs: ["costs", "--by", "role"],
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
      READS_ALL.has(what)
        ? { what: `${MANY} threads`, figure: ms(median(times.many)) }
        : { what: `${MANY} threads`, figure: ms(median(times.many)), ratio, bar: BAR },
    ]);
    if (median(times.many) > MOST_MS) throw new Error(`${what} takes longer than ${MOST_MS} ms`);
  }
});

/** A storage root with so many threads. */
async function rootOf(root, count) {
  const store = await openThreadStore(root);
  for (let made = 0; made < count; made += 1) {
    const ageMs = count - made <= YOUNG ? 0 : DAY_MS;
    const { thread } = await store.create(threadOf(root, Date.now() - ageMs), null);
    if (made < SPENDING) await spend(store, thread, ROLES[made % ROLES.length]);
  }
  await store.close();
  return root;
}

/** One step, by the store alone. */
async function spend(store, { threadId, head, headSha256: toSha256 }, role) {
  const process = { pid: 1, startedAt: "", bootId: "" };
  const nowMs = Date.now();
  const { fence } = await store.acquire({ threadId, process, ttlMs: 1, nowMs, replaces: null });
  const spent = { role, agent: "bench", model: null, usage: PER_STEP };
  const move = { threadId, fence, from: head, to: head, toSha256, nowMs };
  await store.advance({ kind: "append", ...move, spent });
  await store.release({ threadId, fence, nowMs, to: { status: "idle" } });
}

function look(root, words) {
  return {
    root,
    args: [COMMAND, ...words, "--json"],
    check: (stdout) => {
      const { threads, costs = [] } = JSON.parse(stdout);
      if (words[0] === "costs") {
        if (costs.length !== ROLES.length) throw new Error(`costs: ${costs.length}`);
        return;
      }
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
    ...{ prompt: "Do what the bench says, one step after the other" },
    ...{ labels: { team: "bench" } },
    ...{ cwd: root, forkedFrom: null, startedAt: createdAt, createdAt },
  };
}
