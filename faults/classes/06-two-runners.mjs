import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { failureCode, runCommand } from "../parts/command.mjs";
import { expectSound } from "../parts/expect-sound.mjs";
import { begun, STORES, withScene } from "../parts/scene.mjs";
import { STEPS, stepsThread, viewOf } from "../parts/transcript.mjs";

export const title =
  "two runners for one thread: one owner; a frozen one that wakes up publishes nothing, and ends";

const RUNNERS = 5;
const PATIENCE_MS = 60_000;

export async function* cases({ folder, thorough }) {
  const rounds = thorough ? 20 : 1;
  for (const store of STORES) {
    const freezing = `${store} frozen past its lease`;
    yield { name: freezing, run: () => withScene({ folder, store }, frozen) };
    const spinning = `${store} frozen past its lease in a step that never yields`;
    yield { name: spinning, run: () => withScene({ folder, store }, spun) };
    const locking = `${store} frozen with the index locked`;
    yield { name: locking, run: () => withScene({ folder, store }, locked) };
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
  const late = await wokenUp(scene, { sleepMs: 1_500 });
  assert.equal(failureCode(late.ran), "LEASE_LOST", `exit ${late.ran.code}: ${late.ran.stderr}`);
  assert.equal(late.ran.code, 6);
  await expectOnce(scene, late.threadId);
}

/** Nothing of it can say so but what keeps its lease, which then ends it. */
async function spun(scene) {
  const { ran, threadId } = await wokenUp(scene, { spins: true });
  assert.equal(ran.signal, "SIGKILL", `exit ${ran.code}: ${ran.stderr}`);
  assert.match(ran.stderr, /LEASE_LOST/);
  await expectOnce(scene, threadId);
}

/** What became of an owner that woke up when another had made all steps. */
async function wokenUp(scene, manner) {
  const threadId = await stepsThread(scene, manner);
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
  return { ran: await first, threadId };
}

/** Nobody can write, and yet it can be ended; then everybody can. */
async function locked(scene) {
  const threadId = await stepsThread(scene, { locks: true });
  const stopped = exec(scene, threadId);
  while (begun(scene.work).length === 0) await sleep(20);
  const { root } = scene;
  const { checks } = JSON.parse((await runCommand(["doctor"], { root })).stdout);
  const lock = checks.find(({ name }) => name === "index");
  assert.match(lock.fix, new RegExp(threadId), lock.message);
  const { code, stderr } = await runCommand(["thread", "stop", threadId], { root });
  assert.equal(code, 0, stderr);
  assert.equal((await stopped).signal, "SIGKILL");
  const next = await exec(scene, threadId);
  assert.equal(next.code, 0, next.stderr);
  await expectOnce(scene, threadId);
}

async function expectOnce(scene, threadId) {
  const { status, steps } = await viewOf(scene, threadId);
  assert.deepEqual([status, steps.length], ["completed", STEPS + 1]);
  await expectSound(scene);
}

const exec = ({ root }, threadId, started) =>
  runCommand(["thread", "exec", threadId, "--count", "9"], { root, started });
