import assert from "node:assert/strict";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkStorage, execThread, verifyThread } from "@uncaged/workflow-execute";
import { startEmbeddedServer, stopEmbeddedServer } from "@uncaged/workflow-store-postgres";
import { document, killedAfter } from "../parts/command.mjs";
import { idleThread, STORES, successOf, withEngine, withScene } from "../parts/scene.mjs";

export const title =
  "a root that is moved to PostgreSQL, and back: the command killed over and over, and given again";

export async function* cases(lab) {
  const size = lab.thorough ? { threads: 1_000, kills: 20 } : { threads: 40, kills: 3 };
  for (const store of STORES) {
    yield {
      name: `${store}, ${size.threads} threads, ${size.kills} kills each way`,
      run: () =>
        withScene({ folder: lab.folder, store }, (scene) => withServer(scene, lab, size, moved)),
    };
  }
}

async function withServer(scene, { folder }, size, play) {
  // The server's user has to get through.
  for (const each of [folder, join(folder, "places"), scene.dir]) chmodSync(each, 0o711);
  const place = { folder: join(scene.dir, "postgres"), settings: { fsync: "off" } };
  const { url } = await startEmbeddedServer(place);
  try {
    return await play(scene, { ...size, url });
  } finally {
    await stopEmbeddedServer(place);
  }
}

/** Both ways every thread is the same as before, and whole. */
async function moved(scene, { threads, kills, url }) {
  const { root } = scene;
  await makeThreads(scene, threads);
  const before = await standing(root);
  assert.equal(before.length, threads);
  const there = await moveKilled(scene, ["--to", url, "--name", "faults"], kills);
  assert.deepEqual(await standing(root), before);
  // What the way there left for whoever changes their mind.
  for (const name of ["index.db", "index.db-wal", "index.db-shm", "move.json", "cas"])
    rmSync(join(root, name), { recursive: true, force: true });
  const back = await moveKilled(scene, ["--to", root], kills);
  assert.deepEqual(await standing(root), before);
  return { hit: there + back > 0 };
}

async function makeThreads({ root, work }, count) {
  const prompt = { steps: 1, sleepMs: 0, pad: 0 };
  await withEngine(root, async (engine) => {
    for (let n = 0; n < count; n += 1) {
      const id = await idleThread(engine, { work, workflow: "steps", prompt });
      const { signal } = new AbortController();
      successOf(await execThread(engine, await engine.store.get(id), { count: 3, signal }));
    }
  });
}

/** Kills the command so many times, each time later, then lets it end. Returns how often it was hit before its end. */
async function moveKilled({ root }, where, kills) {
  const args = ["root", "move", ...where];
  let hits = 0;
  for (let n = 1; n <= kills; n += 1) {
    const isDone = await killedAfter(args, { root, afterMs: 300 + (n * 1_500) / kills });
    if (isDone) return hits;
    hits += 1;
  }
  await document(args, { root });
  return hits;
}

/** What each thread is, proved. */
function standing(root) {
  return withEngine(root, async (engine) => {
    const { problems } = await checkStorage(engine);
    assert.deepEqual(problems, [], "cas fsck");
    const threads = await engine.store.list({});
    for (const thread of threads) {
      const report = await verifyThread(engine, thread);
      assert.deepEqual(report.problems, [], `thread verify ${thread.threadId}`);
    }
    return threads
      .map(({ threadId, head, headSha256, status, stepCount }) => ({
        ...{ threadId, head, headSha256, status, stepCount },
      }))
      .sort((a, b) => (a.threadId < b.threadId ? -1 : 1));
  });
}
