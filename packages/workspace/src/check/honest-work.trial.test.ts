import { expect, test } from "vitest";
import { checkScene } from "./check-scene.test.helper.ts";
import { HONEST } from "./honest-work.test.helper.ts";

/** Works go together, so that one check can have them all; more checks tell more about which did not pass. */
const AT_ONCE = process.env.UNCAGED_TEST_LIES === undefined ? HONEST.length : 8;

const batches = Array.from({ length: Math.ceil(HONEST.length / AT_ONCE) }, (_, at) =>
  HONEST.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
);

for (const batch of batches)
  test(`honest work passes: ${batch.map(({ name }) => name).join("; ")}`, async () => {
    const scene = checkScene();
    for (const { work } of batch) work(scene);
    const evidence = await scene.check({ command: ["node", "--test"] });
    expect(evidence).toMatchObject({ verdict: "passed", faults: [] });
    scene.remove();
  });
