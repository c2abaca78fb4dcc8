import { expectSound } from "../parts/expect-sound.mjs";
import { STORES, withScene } from "../parts/scene.mjs";
import { isChanging, recordCalls, withFault } from "../parts/strace.mjs";
import { expectResumes, stepsThread } from "../parts/transcript.mjs";

export const title = "runner killed at a file-system call, then resumed";

/** How many calls of a thread are tried in the short form. */
const SHORT = 14;

/** A thread of three steps and its end, driven by one process that is killed at each of its calls. */
export async function* cases({ folder, thorough, some }) {
  for (const store of STORES) {
    const calls = await withScene({ folder, store }, "recorded", async (scene) =>
      recordCalls(scene, drive(await stepsThread(scene))),
    );
    for (const at of some(
      calls.filter((each) => thorough || isChanging(each)),
      SHORT,
    )) {
      const name = `${store} killed at ${at.call} ${at.n}`;
      yield { name, run: () => withScene({ folder, store }, name, (scene) => killedAt(scene, at)) };
    }
  }
}

async function killedAt(scene, at) {
  const threadId = await stepsThread(scene);
  const { hit } = await withFault(scene, drive(threadId), { ...at, fault: "signal=KILL" });
  await expectSound(scene);
  await expectResumes(scene, threadId);
  await expectSound(scene);
  return { hit };
}

const drive = (threadId) => ["thread", "exec", threadId, "--count", "9"];
