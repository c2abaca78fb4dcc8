/** Snapshots of a repository of 50,000 files, beside `git status` in the same repository, taking turns: when nothing
 *  changed, and when one file did. And what a step that changes one file adds to the repository. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findRepository, recordSnapshot, takeSnapshot } from "@uncaged/workflow-workspace";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";

const FOLDERS = 500;
const FILES_EACH = 100;
const ROUNDS = 15;
const STEPS = 20;
const THREAD = "01KAJ2Z6PVX0000000000000ZZ";

await withScratchFolder(async (folder) => {
  const work = join(folder, "work");
  const git = (...args) => execFileSync("git", args, { cwd: work, encoding: "utf8" });
  fill(work);
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "all");
  const { value: repository } = await findRepository(work);
  const keep = join(folder, "keep");
  const snapshot = async () => {
    const taken = await takeSnapshot({ repository, keep });
    if (!taken.ok) throw new Error(taken.error.message);
    return taken.value.tree;
  };
  const first = await timed(snapshot);
  const unchanged = await compared({ git, snapshot, before: () => undefined });
  const changed = await compared({ git, snapshot, before: (round) => change(work, round) });
  // The folders that git makes for the first objects are there by now.
  const sizeBefore = looseKiB(git);
  for (let step = 0; step < STEPS; step += 1) {
    change(work, `step ${step}`);
    const at = { gitDir: repository.commonDir, threadId: THREAD, message: "step", atMs: step };
    const recorded = await recordSnapshot({ ...at, tree: await snapshot() });
    if (!recorded.ok) throw new Error(recorded.error.message);
  }
  const perStep = (looseKiB(git) - sizeBefore) / STEPS;
  if (git("rev-list", "--count", `refs/uncaged/${THREAD}`).trim() !== String(STEPS))
    throw new Error("a snapshot is missing");
  printTable(`a snapshot of ${FOLDERS * FILES_EACH} files, median of ${ROUNDS}`, [
    { what: "git status", figure: ms(median(unchanged.status)) },
    row("nothing changed", unchanged, "1.2 ×"),
    row("one file changed", changed, "1.5 ×"),
    { what: "the first of all", figure: ms(first) },
    {
      what: "disk per step of one changed file",
      figure: `${perStep.toFixed(1)} KiB`,
      bar: "20 KiB",
    },
  ]);
});

function row(what, { status, taken }, bar) {
  return { what, figure: ms(median(taken)), ratio: median(taken) / median(status), bar };
}

async function compared({ git, snapshot, before }) {
  const status = [];
  const taken = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    before(round);
    status.push(await timed(() => git("status", "--porcelain")));
    taken.push(await timed(snapshot));
  }
  return { status, taken };
}

function fill(work) {
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    const path = join(work, `part-${folder % 20}`, `module-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_EACH; file += 1)
      writeFileSync(join(path, `file-${file}.ts`), `export const value = ${folder * file};\n`);
  }
}

function change(work, what) {
  writeFileSync(join(work, "part-1", "module-1", "file-1.ts"), `export const value = "${what}";\n`);
}

/** Space that loose objects take, in whole blocks. */
function looseKiB(git) {
  return Number(/^size: (\d+)$/m.exec(git("count-objects", "-v"))?.[1]);
}

async function timed(run) {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}
