import assert from "node:assert/strict";
import { runCommand } from "../parts/command.mjs";
import { expectSound } from "../parts/expect-sound.mjs";
import { idleThread, register, STORES, withEngine, withScene } from "../parts/scene.mjs";
import { viewOf } from "../parts/transcript.mjs";

export const title =
  "runaway loops: ping-pong routes, workflows that start themselves: stopped, with a reason";

/** A step of ping-pong counts 1,000 tokens and a cent. */
const LIMITS = {
  steps: { limits: { steps: 20 }, most: 20, says: /20 steps/ },
  tokens: { limits: { tokens: 10_000 }, most: 11, says: /token/i },
  cost: { limits: { costUsd: 0.1 }, most: 11, says: /\$|usd|cost/i },
};

export async function* cases({ folder, bundles }) {
  for (const store of STORES) {
    for (const [what, limit] of Object.entries(LIMITS)) {
      const name = `${store} ping-pong up to its limit of ${what}`;
      const play = (scene) => pingPong(scene, { bundles, ...limit });
      yield { name, run: () => withScene({ folder, store }, play) };
    }
    const name = `${store} a workflow that starts itself`;
    yield { name, run: () => withScene({ folder, store }, nested) };
  }
}

async function pingPong(scene, { bundles, limits, most, says }) {
  const threadId = await withEngine(scene.root, async (engine) => {
    await register(engine, "pingpong", bundles.pingpong);
    return idleThread(engine, { work: scene.work, workflow: "pingpong", prompt: "go", limits });
  });
  await runCommand(["thread", "exec", threadId, "--count", "1000"], scene);
  const view = await viewOf(scene, threadId);
  assert.ok(view.steps.length <= most, `${view.steps.length} steps`);
  assert.ok(["failed", "suspended"].includes(view.status), view.status);
  assert.match(view.suspended?.message ?? view.result?.summary ?? "", says);
  await expectSound(scene);
}

/** `maxDepth` is 3 by default: the fourth child is refused, and every thread above says so. */
async function nested(scene) {
  const threadId = await withEngine(scene.root, (engine) =>
    idleThread(engine, { work: scene.work, workflow: "nested", prompt: "go" }),
  );
  await runCommand(["thread", "exec", threadId, "--count", "9"], scene);
  const threads = await withEngine(scene.root, ({ store }) => store.list({}));
  assert.deepEqual(threads.map(({ depth }) => depth).sort(), [0, 1, 2, 3]);
  const deepest = threads.find(({ depth }) => depth === 3);
  assert.equal(deepest.status, "failed");
  assert.match(deepest.summary, /deep|depth/i);
  await expectSound(scene);
}
