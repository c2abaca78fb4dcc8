import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { document, runCommand } from "../parts/command.mjs";
import { expectSound } from "../parts/expect-sound.mjs";
import { STORES, withScene } from "../parts/scene.mjs";
import { stepsThread, viewOf } from "../parts/transcript.mjs";

export const title = "gc without grace, again and again, beside writers: no live blob deleted";

const WRITERS = 3;
const STEPS = 20;

export async function* cases({ folder, thorough }) {
  const rounds = thorough ? 20 : 1;
  for (const store of STORES) {
    for (let round = 1; round <= rounds; round += 1) {
      const name = `${store} round ${round}`;
      yield { name, run: () => withScene({ folder, store }, besideWriters) };
    }
  }
}

async function besideWriters(scene) {
  const { root } = scene;
  const writers = Array.from({ length: WRITERS }, (_, number) => ({
    ...scene,
    work: join(scene.work, String(number)),
  }));
  const threads = [];
  for (const writer of writers) {
    mkdirSync(writer.work);
    threads.push(await stepsThread(writer, { steps: STEPS, sleepMs: 10 }));
  }
  let writing = true;
  const written = Promise.all(
    threads.map((threadId) => runCommand(["thread", "exec", threadId, "--count", "99"], { root })),
  ).finally(() => {
    writing = false;
  });
  let collected = 0;
  while (writing) {
    await document(["cas", "gc", "--grace", "0s"], { root });
    collected += 1;
  }
  for (const { code, stderr } of await written) assert.equal(code, 0, stderr);
  assert.ok(collected > 1, `only ${collected} collections`);
  for (const threadId of threads) {
    const { status, steps } = await viewOf(scene, threadId);
    assert.deepEqual([status, steps.length], ["completed", STEPS + 1]);
  }
  await expectSound(scene);
}
