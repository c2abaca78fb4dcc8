import assert from "node:assert/strict";
import { basename } from "node:path";
import { openBucket } from "../parts/bucket.mjs";
import {
  expectCompleted,
  queued,
  registered,
  startHost,
  until,
  withCluster,
} from "../parts/cluster.mjs";
import { document, failureCode, runCommand } from "../parts/command.mjs";
import { begun } from "../parts/scene.mjs";

export const title =
  "a root in PostgreSQL and S3: the bucket busy, silent or away, an answer lost, an object gone or with other bytes";

const STEPS = 4;
/** A step says more than fits into a row: it is an object. */
const PAD = 200_000;
/** A request is tried so often. */
const ATTEMPTS = 4;

export async function* cases(lab) {
  const of = (play) => () =>
    withCluster(lab, async (cluster) => {
      const bucket = await openBucket({ folder: cluster.dir, address: cluster.address });
      try {
        return await play(cluster, bucket);
      } finally {
        await bucket.close();
      }
    });
  for (const what of ["busy", "gone", "silent"]) {
    yield { name: `the bucket ${what} for one request`, run: of(within(what, 1)) };
    // Silence is waited for each time.
    if (what !== "silent" || lab.thorough)
      yield {
        name: `the bucket ${what} for longer than anybody tries`,
        run: of(beyond(what, ATTEMPTS)),
      };
  }
  yield { name: "an object stored, and nobody told", run: of(within("unanswered", 1)) };
  yield {
    name: "an object gone",
    run: of(damaged("CAS_MISSING", (bucket, file) => bucket.lose(file))),
  };
  yield {
    name: "an object with other bytes",
    run: of(damaged("CAS_CORRUPT", (bucket, file) => bucket.put(file, "other bytes"))),
  };
}

/** Nobody notices. */
function within(what, times) {
  return async (cluster, bucket) => {
    const machine = await machineWith(cluster, bucket, "first");
    const thread = await bigThread(cluster, machine);
    const met = disturb(bucket, what, times);
    await expectCompleted(machine, [thread]);
    assert.equal(met(), times);
    expectSteps(thread, 0);
    assert.ok(bucket.objects().length >= STEPS);
  };
}

/** The thread comes to rest with what is wrong, and goes on from there. */
function beyond(what, times) {
  return async (cluster, bucket) => {
    const machine = await machineWith(cluster, bucket, "first");
    const thread = await bigThread(cluster, machine);
    const met = disturb(bucket, what, times);
    await until("its rest or its end", async () => {
      const { status } = await shown(machine, thread);
      return !["queued", "running"].includes(status);
    });
    const { status, error } = await shown(machine, thread);
    if (status !== "completed") {
      assert.equal(error?.code, "STORAGE_FAILED", `it is ${status}`);
      await document(["thread", "resume", thread.threadId], machine);
    }
    await expectCompleted(machine, [thread]);
    assert.equal(met(), times);
    expectSteps(thread, 1);
  };
}

/** Another machine, which has nothing of it in its cache, never gets the wrong bytes. */
function damaged(code, deed) {
  return async (cluster, bucket) => {
    const machine = await machineWith(cluster, bucket, "first");
    const thread = await bigThread(cluster, machine);
    await expectCompleted(machine, [thread]);
    const other = await machineWith(cluster, bucket, "second");
    const [file] = bucket.objects();
    const [hash] = basename(file).split("-");
    deed(bucket, file);
    const got = await runCommand(["cas", "get", hash], other);
    assert.equal(failureCode(got), code, got.stdout.slice(0, 200));
    assert.ok(!got.stdout.includes("other bytes"));
    for (const verb of [
      ["thread", "verify", thread.threadId],
      ["cas", "fsck"],
    ]) {
      const { code: exit, stdout } = await runCommand(verb, other);
      assert.notEqual(exit, 0, verb.join(" "));
      assert.ok(stdout.includes(hash), `${verb.join(" ")} does not name the object`);
    }
  };
}

async function machineWith(cluster, bucket, name) {
  const machine = await cluster.machine(name, bucket);
  await registered(cluster, machine, "steps");
  return machine;
}

async function bigThread(cluster, machine) {
  const prompt = { steps: STEPS, sleepMs: 300, pad: PAD };
  const thread = await queued(cluster, machine, { name: "big", workflow: "steps", prompt });
  startHost(machine);
  await until("its first step", () => begun(thread.work).length > 0);
  return thread;
}

/** The next so many requests that store an object are met by it. Returns how many have been. */
function disturb(bucket, what, times) {
  let met = 0;
  bucket.disturb((method) => {
    if (method !== "PUT" || met === times) return null;
    met += 1;
    return what;
  });
  return () => met;
}

const shown = ({ root, env }, { threadId }) =>
  document(["thread", "show", threadId], { root, env });

/** A step whose words could not be stored has not been done. */
function expectSteps({ work }, mostAgain) {
  const seen = begun(work);
  const inOrder = [...Array.from({ length: STEPS }, (_, index) => index + 1), 0];
  assert.deepEqual([...new Set(seen)], inOrder);
  assert.ok(seen.length <= inOrder.length + mostAgain, `steps began again: ${seen}`);
}
