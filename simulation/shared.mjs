/** Plays seeds of machines that share a root: `node --import ./parts/shared-hooks.mjs shared.mjs [--seeds n] [--seed s]`. One
 *  seed is told step by step; of several, the first that fails is. Exits 1 when one fails. */
import { parseArgs } from "node:util";
import { playShared } from "./parts/play-shared.mjs";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "300" },
    seed: { type: "string" },
    from: { type: "string", default: "1" },
  },
});
const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
if (!Number.isSafeInteger(first) || !(count > 0)) throw new Error("--seeds and --seed are numbers");

const sums = { steps: 0, messages: 0, faults: 0, crashes: 0 };
for (let seed = first; seed < first + count; seed++) {
  const { problems, log, ...played } = await playShared(seed);
  for (const key of Object.keys(sums)) sums[key] += played[key];
  if (values.seed !== undefined) console.log(log.join("\n"));
  if (problems.length === 0) continue;
  console.error(`seed ${seed} fell short; again with: npm run simulate -- shared --seed ${seed}`);
  for (const line of [...log, ...problems]) console.error(`  ${line}`);
  process.exit(1);
}
console.log(
  `${count} seeds, ${sums.steps} steps, ${sums.faults} of ${sums.messages} messages lost, late or doubled, ${sums.crashes} crashes: nothing was lost, nothing was twice at work`,
);
