import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { document } from "../parts/command.mjs";
import { expectNoProcess, expectSound, processesOf } from "../parts/expect-sound.mjs";
import { idleThread, withEngine, withScene } from "../parts/scene.mjs";

export const title =
  "thread kill, a killed runner's guard, and the next start after it, end every process of an agent";

const STAND_IN = fileURLToPath(new URL("../agent/stand-in.mjs", import.meta.url));
/** How many processes each manner comes to. */
const MANNERS = { stays: 1, forks: 4, leads: 2, orphans: 2, ignores: 2, hides: 3 };
const PLAYS = { killed, "runner killed": runnerKilled, "runner killed, nobody comes": nobodyComes };
const PATIENCE_MS = 30_000;

export async function* cases({ folder, thorough }) {
  const rounds = thorough ? 5 : 1;
  for (let round = 1; round <= rounds; round += 1) {
    for (const manner of Object.keys(MANNERS)) {
      for (const [how, play] of Object.entries(PLAYS)) {
        const name = `an agent that ${manner}, ${how}, round ${round}`;
        const use = (scene) => endingAll(scene, () => play(scene, manner));
        yield { name, run: () => withScene({ folder, store: "files" }, use) };
      }
    }
  }
}

async function killed(scene, manner) {
  const threadId = await running(scene, manner);
  await document(["thread", "kill", threadId], scene);
  await expectNoProcess(scene);
  await expectSound(scene);
}

/** The runner has no chance to clean up; the next one does it. */
async function runnerKilled(scene, manner) {
  const threadId = await running(scene, manner);
  const before = pids(scene);
  const { threads } = await document(["thread", "ps"], scene);
  const [{ pid }] = threads;
  process.kill(pid, "SIGKILL");
  // The system may take a moment to end it, and as long it owns its thread.
  await until(() => !processesOf(scene.root).includes(String(pid)), "the runner is gone");
  rmSync(join(scene.work, "pids"));
  await document(["thread", "resume", threadId], scene);
  await until(() => pids(scene).length === MANNERS[manner], "the agent started again");
  const alive = processesOf(scene.root);
  assert.deepEqual(
    before.filter((pid) => alive.includes(pid)),
    [],
    "processes of the dead runner",
  );
  await document(["thread", "kill", threadId], scene);
  await expectNoProcess(scene);
  await expectSound(scene);
}

/** Nothing but the guard is there to clean up. */
async function nobodyComes(scene, manner) {
  await running(scene, manner);
  const agents = pids(scene);
  const { threads } = await document(["thread", "ps"], scene);
  const [{ pid }] = threads;
  process.kill(pid, "SIGKILL");
  await until(
    () => !processesOf(scene.root).some((each) => each === String(pid) || agents.includes(each)),
    "the agent's processes are gone",
  );
  await expectSound(scene);
}

/** A thread in the background whose agent has started all it starts. */
async function running(scene, manner) {
  const { root, work } = scene;
  const prompt = [STAND_IN, manner];
  const threadId = await withEngine(root, (engine) =>
    idleThread(engine, { work, workflow: "hand", prompt }),
  );
  await document(["thread", "resume", threadId], scene);
  await until(() => pids(scene).length === MANNERS[manner], `${MANNERS[manner]} processes`);
  return threadId;
}

/** Whatever became of the case, it leaves no process to the next one. */
async function endingAll(scene, play) {
  try {
    await play();
  } finally {
    for (const pid of processesOf(scene.root)) {
      try {
        process.kill(Number(pid), "SIGKILL");
      } catch {
        // It ended just now.
      }
    }
  }
}

/** Of the agent's processes, as this system numbers them. One in a sandbox knows its number there, which is the last one of
 *  `NSpid` (proc_pid_status(5)). */
function pids({ root, work }) {
  const file = join(work, "pids");
  if (!existsSync(file)) return [];
  const here = new Map(processesOf(root).map((pid) => [numberInside(pid), pid]));
  const told = readFileSync(file, "utf8").trim().split("\n");
  return told.map((pid) => here.get(pid) ?? pid);
}

function numberInside(pid) {
  try {
    const [, inside] = /^NSpid:.*\s(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return inside ?? pid;
  } catch {
    return pid;
  }
}

async function until(holds, what) {
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (!holds()) {
    assert.ok(Date.now() < giveUpAt, `it did not come to pass: ${what}`);
    await sleep(50);
  }
}
