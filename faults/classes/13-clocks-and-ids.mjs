import assert from "node:assert/strict";
import { execThread, startThread } from "@uncaged/workflow-execute";
import { newThreadId, ownIdentity } from "@uncaged/workflow-util";
import { expectSound } from "../parts/expect-sound.mjs";
import { STORES, successOf, withEngine, withScene } from "../parts/scene.mjs";
import { expectResumes, stepsThread } from "../parts/transcript.mjs";

export const title = "clocks that jump, pids that are used again, two boots: leases and ids hold";

const HOUR_MS = 60 * 60 * 1000;
const TTL_MS = 15_000;

/** Whose lease stands on the thread when we come, and what becomes of us. */
const OWNERS = {
  "a pid used again": { owner: (own) => ({ ...own, startedAt: "1" }), gives: "ok" },
  "an earlier boot": { owner: (own) => ({ ...own, bootId: at(own, { boot: "b" }) }), gives: "ok" },
  "another machine": {
    owner: (own) => ({ ...own, bootId: at(own, { boot: "b", machine: "m" }) }),
    gives: "LEASE_HELD",
  },
  "a machine that was not named": {
    owner: (own) => ({ ...own, bootId: "another-boot/1" }),
    gives: "LEASE_HELD",
  },
  "another container": {
    owner: (own) => ({ ...own, bootId: at(own, { namespace: "another" }) }),
    gives: "LEASE_HELD",
  },
  ourselves: { owner: (own) => own, gives: "LEASE_HELD" },
};

/** Where a process runs, but for these parts. */
function at({ bootId }, changed) {
  const [boot, namespace, machine] = bootId.split("/");
  const place = { boot, namespace, machine, ...changed };
  return `${place.boot}/${place.namespace}/${place.machine}`;
}

export async function* cases({ folder }) {
  for (const store of STORES) {
    for (const [whose, given] of Object.entries(OWNERS)) {
      const name = `${store} a lease of ${whose}`;
      const play = (scene) => leaseOf(scene, given);
      yield { name, run: () => withScene({ folder, store }, play) };
    }
    const jumps = { "an hour ahead": HOUR_MS, "an hour back": -HOUR_MS };
    for (const [where, jumpMs] of Object.entries(jumps)) {
      const name = `${store} a second process whose clock is ${where}`;
      const play = (scene) => otherClock(scene, jumpMs);
      yield { name, run: () => withScene({ folder, store }, play) };
    }
    const behind = `${store} a second process whose clock is an hour back, and an owner that renews`;
    yield { name: behind, run: () => withScene({ folder, store }, renewing) };
    const back = `${store} a clock that jumps back between starts`;
    yield { name: back, run: () => withScene({ folder, store }, startsBack) };
  }
  yield { name: "ids made while the clock jumps", run: ids };
}

async function leaseOf(scene, { owner, gives }) {
  const threadId = await stepsThread(scene);
  await acquire(scene, threadId, owner(ownIdentity()));
  const outcome = await drive(scene, threadId, 0);
  assert.equal(outcome, gives);
  if (gives === "LEASE_HELD") assert.equal(await drive(scene, threadId, TTL_MS + 1), "ok");
  await expectResumes(scene, threadId);
  await expectSound(scene);
}

/** A clock that is ahead takes the thread over; one that is behind, once the owner has not renewed for a lease's
 *  life. Whoever is late then publishes nothing. */
async function otherClock(scene, jumpMs) {
  const threadId = await stepsThread(scene);
  const lease = await acquire(scene, threadId, ownIdentity());
  const outcome = await drive(scene, threadId, jumpMs);
  assert.equal(outcome, "ok");
  await withEngine(scene.root, async ({ store, now }) => {
    const { head, headSha256 } = await store.get(threadId);
    const { fence } = lease;
    const move = {
      kind: "append",
      threadId,
      fence,
      from: head,
      to: head,
      toSha256: headSha256,
      nowMs: now(),
    };
    await assert.rejects(store.advance(move), ({ failure }) => failure.code === "LEASE_LOST");
  });
  await expectResumes(scene, threadId);
  await expectSound(scene);
}

async function renewing(scene) {
  const threadId = await stepsThread(scene);
  const { fence } = await acquire(scene, threadId, ownIdentity());
  await withEngine(scene.root, async ({ store, now }) => {
    const renew = () => store.renew({ leases: [{ threadId, fence }], ttlMs: TTL_MS, nowMs: now() });
    const beat = setInterval(renew, 1_000);
    assert.equal(await drive(scene, threadId, -HOUR_MS), "LEASE_HELD");
    clearInterval(beat);
    await store.release({ threadId, fence, nowMs: now(), to: { status: "idle" } });
  });
  await expectResumes(scene, threadId);
  await expectSound(scene);
}

async function startsBack(scene) {
  const made = await withEngine(scene.root, async (engine) => {
    const threads = [];
    for (const jumpMs of [0, -HOUR_MS, HOUR_MS, -2 * HOUR_MS]) {
      const jumped = { ...engine, now: () => engine.now() + jumpMs };
      const start = {
        workflow: "steps",
        prompt: "{}",
        cwd: scene.work,
        startKey: null,
        limits: null,
      };
      threads.push(successOf(await startThread(jumped, { ...start, run: "idle" })));
    }
    return threads.map(({ threadId }) => threadId);
  });
  assert.equal(new Set(made).size, made.length);
  assert.deepEqual([...made].sort(), made, "ids do not ascend");
  await expectSound(scene);
}

async function ids() {
  const start = Date.now();
  const made = Array.from({ length: 10_000 }, (_, at) =>
    newThreadId(start + ((at * 7919) % 5_000) - 2_500),
  );
  assert.equal(new Set(made).size, made.length);
  assert.deepEqual([...made].sort(), made, "ids do not ascend");
}

const acquire = ({ root }, threadId, process) =>
  withEngine(root, ({ store, now }) =>
    store.acquire({ threadId, process, ttlMs: TTL_MS, nowMs: now(), replaces: null }),
  );

/** One step, by a process whose clock is off by so much: `ok`, or the code of the failure. */
const drive = ({ root }, threadId, jumpMs) =>
  withEngine(root, async (engine) => {
    const jumped = { ...engine, now: () => engine.now() + jumpMs };
    const { signal } = new AbortController();
    const thread = await engine.store.get(threadId);
    const result = await execThread(jumped, thread, { count: 1, signal });
    return result.ok ? "ok" : result.error.code;
  });
