import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runCommand } from "../parts/command.mjs";
import { expectSound } from "../parts/expect-sound.mjs";
import { idleThread, STORES, withEngine, withScene } from "../parts/scene.mjs";
import { viewOf } from "../parts/transcript.mjs";

export const title =
  "agent output: floods, no newline, NUL, no UTF-8, split characters, closed stdout, unread stdin";

const STAND_IN = fileURLToPath(new URL("../agent/stand-in.mjs", import.meta.url));
/** What a runner may have in memory at its worst, whatever the agent says. */
const MAX_MIB = 400;
const LOOK_EVERY_MS = 50;

/** What the step says in the end; null: too long to be held against anything. */
const SAID = {
  "says NUL": /^before.after/,
  "is no UTF-8": /^a.*b/,
  "splits characters": /^häß 😀 日本/,
  "closes stdout": /^last words/,
  "colours everything": /^red/,
  "reads nothing": /^never read it/,
  "looks like a state": /^type: "state"/,
};

export async function* cases({ folder, thorough }) {
  const mebibytes = thorough ? 1024 : 128;
  const manners = [
    ...Object.keys(SAID).map((manner) => [manner]),
    ["floods", String(mebibytes)],
    ["has no lines", String(mebibytes)],
  ];
  for (const store of STORES) {
    for (const [manner, ...rest] of manners) {
      const name = `${store} an agent that ${manner}`;
      const play = (scene) => speaks(scene, [manner, ...rest]);
      yield { name, run: () => withScene({ folder, store }, play) };
    }
  }
}

async function speaks(scene, [manner, ...rest]) {
  const { root, work } = scene;
  const prompt = [STAND_IN, manner, ...rest];
  const threadId = await withEngine(root, (engine) =>
    idleThread(engine, { work, workflow: "hand", prompt }),
  );
  const watch = watchMemory();
  const ran = await runCommand(["thread", "exec", threadId, "--count", "9"], {
    root,
    cwd: work,
    started: watch.look,
  });
  watch.end();
  assert.equal(ran.code, 0, ran.stderr);
  const { status, steps } = await viewOf(scene, threadId);
  assert.deepEqual([status, steps.length], ["completed", 1]);
  assert.equal(steps[0].meta.exitCode, 0);
  if (SAID[manner] !== undefined) assert.match(steps[0].content, SAID[manner]);
  assert.ok(watch.mostMiB() < MAX_MIB, `the runner took ${watch.mostMiB()} MiB`);
  await expectSound(scene);
}

/** The most memory that a process had, in MiB. */
function watchMemory() {
  let most = 0;
  let timer;
  const read = (pid) => {
    try {
      const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      if (kib !== undefined) most = Math.max(most, Number(kib) / 1024);
    } catch {
      // It has ended.
    }
  };
  return {
    look: ({ pid }) => {
      timer = setInterval(read, LOOK_EVERY_MS, pid);
    },
    end: () => clearInterval(timer),
    mostMiB: () => Math.round(most),
  };
}
