/** Random lies and random honest work on one project: no lie gets in, and honest work is hardly ever refused.
 *  `UNCAGED_TEST_LIES` says how many of each, `UNCAGED_TEST_LIES_SEED` with which one to begin. */
import { expect, test } from "vitest";
import { type CheckScene, checkScene } from "./check-scene.test.helper.ts";
import { HONEST } from "./honest-work.test.helper.ts";
import { type Pick, TRICKS, WRONG } from "./lies.test.helper.ts";

const COUNT = Number(process.env.UNCAGED_TEST_LIES ?? 1);
const SEED = Number(process.env.UNCAGED_TEST_LIES_SEED ?? Date.now() % 1_000_000);
const LIMIT_MS = 60_000 + COUNT * 60_000;

test(
  `${COUNT} random lies are refused, and ${COUNT} random pieces of honest work are not`,
  async () => {
    console.log(`lies and honest work of the seeds ${SEED} to ${SEED + COUNT - 1}`);
    const accepted: number[] = [];
    const refused: number[] = [];
    for (let seed = SEED; seed < SEED + COUNT; seed++) {
      if (await passes(seed, lie)) accepted.push(seed);
      if (!(await passes(seed, honest))) refused.push(seed);
    }
    expect(accepted).toEqual([]);
    expect(refused.length).toBeLessThanOrEqual(COUNT / 100);
  },
  LIMIT_MS,
);

async function passes(seed: number, change: (scene: CheckScene, pick: Pick) => void) {
  const scene = checkScene();
  try {
    change(scene, picker(seed));
    return (await scene.check({ command: ["npm", "test", "--silent"] })).verdict === "passed";
  } finally {
    scene.remove();
  }
}

function lie(scene: CheckScene, pick: Pick): void {
  const source = `export function add(a, b) {\n  return ${pick(WRONG)};\n}\n`;
  honest(scene, pick);
  scene.write({ "src/add.js": source });
  for (let more = pick([1, 1, 2, 3]); more > 0; more--) pick(TRICKS)(scene, pick, source);
}

function honest(scene: CheckScene, pick: Pick): void {
  for (let more = pick([0, 1, 2, 3]); more > 0; more--) pick(HONEST).work(scene);
}

/** The same choices for the same seed (mulberry32). */
function picker(seed: number): Pick {
  let state = seed;
  return (from) => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    const at = ((bits ^ (bits >>> 14)) >>> 0) % from.length;
    const picked = from[at];
    if (picked === undefined) throw new Error("nothing to pick from");
    return picked;
  };
}
