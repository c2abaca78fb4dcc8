import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { failureCode, runCommand } from "../parts/command.mjs";
import { expectSound } from "../parts/expect-sound.mjs";
import { begun, STORES, withScene } from "../parts/scene.mjs";
import { STEPS, stepsThread, viewOf } from "../parts/transcript.mjs";

export const title =
  "two runners for one thread: one owner; a frozen one that wakes up publishes nothing";

const RUNNERS = 5;
const PATIENCE_MS = 60_000;

export async function* cases({ folder, thorough }) {
  const rounds = thorough ? 20 : 1;
  for (const store of STORES) {
    const freezing = `${store} frozen past its lease`;
    yield { name: freezing, run: () => withScene({ folder, store }, frozen) };
    for (let round = 1; round <= rounds; round += 1) {
      const name = `${store} ${RUNNERS} at once, round ${round}`;
      yield { name, run: () => withScene({ folder, store }, atOnce) };
    }
  }
}

async function atOnce(scene) {
  const threadId = await stepsThread(scene, { sleepMs: 300 });
  const runs = Array.from({ length: RUNNERS }, () => exec(scene, threadId));
  const ran = await Promise.all(runs);
  const owners = ran.filter(({ code }) => code === 0);
  assert.equal(owners.length, 1, `${owners.length} owners`);
  for (const other of ran.filter(({ code }) => code !== 0)) {
    // 6: somebody else has it; 3: it came when the thread had ended already.
    assert.ok([3, 6].includes(other.code), `exit ${other.code}: ${other.stderr}`);
  }
  await expectOnce(scene, threadId);
  assert.deepEqual(begun(scene.work), [1, 2, 3, 0]);
}

async function frozen(scene) {
  const threadId = await stepsThread(scene, { sleepMs: 1_500 });
  let pid = 0;
  const first = exec(scene, threadId, (child) => {
    pid = child.pid;
  });
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (begun(scene.work).length === 0) await sleep(20);
  process.kill(pid, "SIGSTOP");
  let second = await exec(scene, threadId);
  assert.equal(failureCode(second), "LEASE_HELD", "the lease of a frozen owner was not respected");
  while (failureCode(second) === "LEASE_HELD" && Date.now() < giveUpAt) {
    await sleep(500);
    second = await exec(scene, threadId);
  }
  assert.equal(second.code, 0, second.stderr);
  process.kill(pid, "SIGCONT");
  const late = await first;
  assert.equal(failureCode(late), "LEASE_LOST", `exit ${late.code}: ${late.stderr}`);
  assert.equal(late.code, 6);
  await expectOnce(scene, threadId);
}

async function expectOnce(scene, threadId) {
  const { status, steps } = await viewOf(scene, threadId);
  assert.deepEqual([status, steps.length], ["completed", STEPS + 1]);
  await expectSound(scene);
}

const exec = ({ root }, threadId, started) =>
  runCommand(["thread", "exec", threadId, "--count", "9"], { root, started });
