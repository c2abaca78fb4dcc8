import { expectSound } from "../parts/expect-sound.mjs";
import { STORES, withScene } from "../parts/scene.mjs";
import { isChanging, recordCalls, withFault } from "../parts/strace.mjs";
import { expectResumes, stepsThread } from "../parts/transcript.mjs";

export const title = "runner killed at a file-system call, then resumed";

/** Who drives a thread of three steps to its end, and how many of its calls are tried in the short form: a command
 *  in the foreground; a command that starts a runner, either of which may be hit. */
const DRIVERS = {
  exec: { args: (threadId) => ["thread", "exec", threadId, "--count", "9"], short: 12 },
  runner: { args: (threadId) => ["thread", "resume", threadId], short: 6 },
};

export async function* cases({ folder, thorough, some }) {
  for (const store of STORES) {
    for (const [driver, { args, short }] of Object.entries(DRIVERS)) {
      const calls = await withScene({ folder, store }, async (scene) =>
        recordCalls(scene, args(await stepsThread(scene))),
      );
      const tried = calls.filter((each) => thorough || isChanging(each));
      for (const at of some(tried, short)) {
        const name = `${store} ${driver} killed at ${at.call} ${at.n}`;
        const play = (scene) => killedAt(scene, { args, at });
        yield { name, run: () => withScene({ folder, store }, play) };
      }
    }
  }
}

async function killedAt(scene, { args, at }) {
  const threadId = await stepsThread(scene);
  const { hit } = await withFault(scene, args(threadId), { ...at, fault: "signal=KILL" });
  await expectSound(scene);
  await expectResumes(scene, threadId);
  await expectSound(scene);
  return { hit };
}
