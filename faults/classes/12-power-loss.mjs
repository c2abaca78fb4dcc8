import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runCommand } from "../parts/command.mjs";
import { FILE_SYSTEMS, withDisk } from "../parts/disk.mjs";
import { expectSound } from "../parts/expect-sound.mjs";
import { begun, STORES, withScene } from "../parts/scene.mjs";
import { acknowledged, expectResumes, stepsThread } from "../parts/transcript.mjs";

export const title =
  "power lost on ext4 and XFS: every acknowledged step is there, no file empty or torn";

const STEPS = 12;
const STEP_MS = 20;
const SHORT = 3;
/** After which step the power goes, and a few milliseconds into the next. */
const INSTANTS = Array.from({ length: 60 }, (_, at) => ({ step: 1 + (at % 11), lateMs: at % 7 }));

export async function* cases({ folder, some }) {
  for (const type of FILE_SYSTEMS) {
    // Were this one to fail, the others would prove nothing.
    const control = `${type} loses what was not flushed`;
    yield {
      name: control,
      run: () => withScene({ folder, store: "files" }, (scene) => loses(scene, type)),
    };
    for (const store of STORES) {
      for (const { step, lateMs } of some(INSTANTS, SHORT)) {
        const name = `${type} ${store} power lost ${lateMs} ms into step ${step}`;
        const play = (scene) => powerLost(scene, { type, step, lateMs });
        yield { name, run: () => withScene({ folder, store }, play) };
      }
    }
  }
}

async function powerLost(scene, { type, step, lateMs }) {
  const threadId = await stepsThread(scene, { steps: STEPS, sleepMs: STEP_MS });
  await withDisk(scene, type, async (disk) => {
    const running = runCommand(["thread", "exec", threadId, "--count", "99"], scene);
    while (begun(scene.work).length < step) await sleep(1);
    await sleep(lateMs);
    // A machine without power acknowledges nothing. This one goes on, and ext4 lets a flush that its shutdown
    // overtook succeed: the transaction is dropped before the flush looks for it.
    const known = acknowledged(scene, STEPS);
    disk.cutPower();
    await running;
    disk.restart();
    await expectSound(scene);
    await expectResumes(scene, threadId, { steps: STEPS, known });
    await expectSound(scene);
  });
}

async function loses(scene, type) {
  await withDisk(scene, type, async (disk) => {
    const file = join(scene.root, "never-flushed");
    writeFileSync(file, "x".repeat(10_000));
    disk.cutPower();
    disk.restart();
    const left = await readFile(file, "utf8").catch(() => "");
    assert.notEqual(left.length, 10_000, "what was never flushed survived: nothing is tested here");
  });
}
