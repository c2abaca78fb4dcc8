/** A fork in the middle of a thread of 500 steps, with the files of its step, in a repository of 5,000 files: beside
 *  `git worktree add` in the same repository, taking turns. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { forkThread, startThread } from "@uncaged/workflow-execute";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";
import { makeSteps, openSteadyEngine, steadyStart, successOf } from "./parts/steady-engine.mjs";

const FOLDERS = 50;
const FILES_EACH = 100;
const STEPS = 500;
const ROUNDS = 15;

await withScratchFolder(async (folder) => {
  const work = join(folder, "work");
  const git = (...args) => execFileSync("git", args, { cwd: work, encoding: "utf8" });
  fill(work);
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "all");
  const engine = await openSteadyEngine(folder);
  const start = { ...steadyStart(), cwd: work, run: "idle" };
  const { threadId } = successOf(await startThread(engine, start));
  const thread = await makeSteps(engine, threadId, STEPS);
  const times = { git: [], fork: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const path = join(folder, `by-git-${round}`);
    times.git.push(await timed(() => git("worktree", "add", "-q", "-b", `git-${round}`, path)));
    times.fork.push(await timed(() => fork(engine, thread)));
  }
  const ratio = median(times.fork) / median(times.git);
  printTable(`a worktree of ${FOLDERS * FILES_EACH} files, median of ${ROUNDS}`, [
    { what: "git worktree add", figure: ms(median(times.git)) },
    {
      what: `a fork with files, ${STEPS} steps`,
      figure: ms(median(times.fork)),
      ratio,
      bar: "1.2 ×",
    },
  ]);
  await engine.store.close();
});

async function fork(engine, thread) {
  const from = { kind: "step", step: thread.stepCount / 2 };
  const opts = { from, agent: null, limits: null, bundle: null, prompt: null, run: "idle" };
  successOf(await forkThread(engine, thread, { ...opts, files: "own" }));
}

function fill(work) {
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    const path = join(work, `part-${folder % 10}`, `module-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_EACH; file += 1)
      writeFileSync(join(path, `file-${file}.ts`), `export const value = ${folder * file};\n`);
  }
}

async function timed(run) {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}
