import assert from "node:assert/strict";
import { checkStorage, collectStorage, verifyThread } from "@uncaged/workflow-execute";
import { blobShelf } from "../parts/blob-shelf.mjs";
import { expectSound } from "../parts/expect-sound.mjs";
import { STORES, successOf, withEngine, withScene } from "../parts/scene.mjs";
import { expectResumes, makeSteps, stepsThread } from "../parts/transcript.mjs";

export const title =
  "blobs damaged: found by get, fsck, verify, resume and gc, and well again when put back";

/** What becomes of a blob's bytes. `other` are those of another blob; null: it is gone. */
const DAMAGES = {
  "bit flipped": (bytes) => Buffer.from(bytes).fill(bytes[9] ^ 1, 9, 10),
  truncated: (bytes) => bytes.subarray(0, bytes.length - 5),
  "filled with zeros": (bytes) => Buffer.alloc(bytes.length),
  swapped: (_bytes, other) => other,
  empty: () => Buffer.alloc(0),
  "a folder in its place": () => "folder",
  gone: () => null,
};
const SHORT = 4;

/** Of every blob of a thread of two steps, what each damage does. */
export async function* cases({ folder, some }) {
  for (const store of STORES) {
    for (const [damage, of] of Object.entries(DAMAGES)) {
      // Rows cannot be folders.
      if (store === "packed" && damage === "a folder in its place") continue;
      for (const at of some([0, 1, 2, 3, 4, 5, 6, 7], SHORT)) {
        const name = `${store} blob ${at} ${damage}`;
        yield {
          name,
          run: () => withScene({ folder, store }, (scene) => found(scene, { at, of })),
        };
      }
    }
  }
}

async function found(scene, { at, of }) {
  const threadId = await stepsThread(scene);
  successOf(await makeSteps(scene, threadId, 2));
  const hashes = await withEngine(scene.root, ({ cas }) => cas.list());
  const hash = hashes[at];
  const shelf = blobShelf(scene);
  const bytes = shelf.read(hash);
  shelf.write(hash, of(bytes, shelf.read(hashes[(at + 1) % hashes.length])));

  const names = await withEngine(scene.root, async (engine) => {
    const dead = await engine.cas.put("nobody needs this");
    const thread = await engine.store.get(threadId);
    const got = await engine.cas.get(hash).catch((thrown) => thrown.failure.code);
    assert.ok(got === null || got === "CAS_CORRUPT", `get returns ${got}`);
    assert.equal((await checkStorage(engine)).ok, false, "fsck finds nothing");
    assert.equal((await verifyThread(engine, thread)).ok, false, "verify finds nothing");
    const collected = collectStorage(engine, { dryRun: false, graceMs: 0 });
    await assert.rejects(collected, ({ failure }) => /^CAS_/.test(failure.code), "gc goes on");
    assert.ok((await engine.cas.list()).includes(dead), "gc took something away");
    return { head: thread.head, start: thread.startHash };
  });
  if (Object.values(names).includes(hash)) {
    const resumed = await makeSteps(scene, threadId, 1);
    assert.ok(!resumed.ok && /^CAS_/.test(resumed.error.code), "resume goes on");
  }
  shelf.write(hash, bytes);
  await expectSound(scene);
  await expectResumes(scene, threadId);
  await expectSound(scene);
}
