/** Plays seeds of the merge queue: `node --import ./parts/queue-hooks.mjs queue.mjs [--seeds n] [--seed s]`. One seed is
 *  told step by step; of several, the first that fails is. Exits 1 when one fails. */
import { parseArgs } from "node:util";
import { playQueue } from "./parts/play-queue.mjs";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    seed: { type: "string" },
    from: { type: "string", default: "1" },
  },
});
const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
if (!Number.isSafeInteger(first) || !(count > 0)) throw new Error("--seeds and --seed are numbers");

const sums = { merges: 0, kills: 0 };
for (let seed = first; seed < first + count; seed++) {
  const { problems, log, merges, kills } = await playQueue(seed);
  sums.merges += merges;
  sums.kills += kills;
  if (values.seed !== undefined) console.log(log.join("\n"));
  if (problems.length === 0) continue;
  console.error(`seed ${seed} fell short; again with: npm run simulate -- queue --seed ${seed}`);
  for (const line of [...log, ...problems]) console.error(`  ${line}`);
  process.exit(1);
}
console.log(
  `${count} seeds, ${sums.merges} merges, ${sums.kills} kills: no false merge, nothing was lost`,
);
