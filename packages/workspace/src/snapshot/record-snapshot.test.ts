import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changedFiles } from "./changed-files.ts";
import { dropSnapshots, recordSnapshot, shareSnapshots } from "./record-snapshot.ts";
import { type SampleRepository, sampleRepository } from "./sample-repository.test.helper.ts";
import { brokenTrees } from "./whole-trees.ts";

const A = "06F8C0ZZZZZZZZZZZZZZZZZZZA";
const B = "06F8C0ZZZZZZZZZZZZZZZZZZZB";

test("snapshots of a thread are a chain of commits that git keeps and shows", async () => {
  using sample = sampleRepository();
  const trees = [];
  for (const text of ["1", "2", "2", "3"]) {
    sample.write({ "a.txt": text });
    trees.push(await recorded(sample, A, `step ${text}`));
  }
  sample.git("gc", "-q", "--prune=now");
  expect(sample.git("log", "--format=%s %T", `refs/uncaged/${A}`).trim().split("\n")).toEqual([
    `step 3 ${trees[3]}`,
    `step 2 ${trees[2]}`,
    `step 1 ${trees[0]}`,
  ]);
  expect(sample.git("branch", "--all")).toBe("");
  expect(await brokenTrees(join(sample.folder, ".git"), trees)).toEqual({ ok: true, value: [] });
});

test("snapshots that are recorded at once are all kept", async () => {
  using sample = sampleRepository();
  const trees = [];
  for (const text of ["1", "2", "3"]) {
    sample.write({ "a.txt": text });
    trees.push((await sample.snapshot()).tree);
  }
  const gitDir = join(sample.folder, ".git");
  const results = await Promise.all(
    trees.map((tree) => recordSnapshot({ gitDir, threadId: A, tree, message: "m", atMs: 0 })),
  );
  expect(results.every(({ ok }) => ok)).toBe(true);
  expect(sample.git("log", "--format=%T", `refs/uncaged/${A}`).trim().split("\n").sort()).toEqual(
    trees.sort(),
  );
});

test("a fork shares the snapshots of its origin, and keeps them when the origin lets go", async () => {
  using sample = sampleRepository();
  sample.write({ "a.txt": "1" });
  const tree = await recorded(sample, A, "step");
  const gitDir = join(sample.folder, ".git");
  expect(await shareSnapshots(gitDir, { from: A, to: B })).toMatchObject({ ok: true });
  expect(await dropSnapshots(gitDir, A)).toMatchObject({ ok: true });
  expect(await dropSnapshots(gitDir, A)).toMatchObject({ ok: true });
  sample.git("gc", "-q", "--prune=now");
  expect(await brokenTrees(gitDir, [tree])).toEqual({ ok: true, value: [] });
  expect(await dropSnapshots(gitDir, B)).toMatchObject({ ok: true });
  sample.git("gc", "-q", "--prune=now");
  expect(await brokenTrees(gitDir, [tree])).toMatchObject({ ok: true, value: [{ tree }] });
});

test("a missing and a damaged object are found, and only in the trees that have them", async () => {
  using sample = sampleRepository();
  sample.write({ "a.txt": "the same" });
  const first = await recorded(sample, A, "1");
  sample.write({ "b.txt": "second" });
  const second = await recorded(sample, A, "2");
  sample.write({ "c.txt": "third" });
  const third = await recorded(sample, A, "3");
  const gitDir = join(sample.folder, ".git");
  const objectOf = (spec: string): string => {
    const id = sample.git("rev-parse", spec).trim();
    return join(gitDir, "objects", id.slice(0, 2), id.slice(2));
  };
  rmSync(objectOf(`${third}:c.txt`));
  expect(await brokenTrees(gitDir, [first, second, third])).toMatchObject({
    value: [{ tree: third }],
  });
  // As if a disk had returned another file's bytes.
  copyFileSync(objectOf(`${first}:a.txt`), forced(objectOf(`${second}:b.txt`)));
  expect(await brokenTrees(gitDir, [first, second])).toMatchObject({ value: [{ tree: second }] });
});

test("the files in which two trees differ", async () => {
  using sample = sampleRepository();
  sample.write({ "same.txt": "s", "gone.txt": "g", "changed.txt": "1", "sub/x": "x" });
  const before = (await sample.snapshot()).tree;
  rmSync(join(sample.folder, "gone.txt"));
  sample.write({ "changed.txt": "2", "sub/new\nfile": "n" });
  const after = (await sample.snapshot()).tree;
  expect(await changedFiles(join(sample.folder, ".git"), { before, after })).toEqual({
    ok: true,
    value: [
      { path: "changed.txt", change: "modified" },
      { path: "gone.txt", change: "deleted" },
      { path: "sub/new\nfile", change: "added" },
    ],
  });
});

/** Objects are read-only. */
function forced(path: string): string {
  rmSync(path);
  return path;
}

async function recorded(
  sample: SampleRepository,
  threadId: string,
  message: string,
): Promise<string> {
  const { tree } = await sample.snapshot();
  const gitDir = join(sample.folder, ".git");
  const made = await recordSnapshot({ gitDir, threadId, tree, message, atMs: 1_700_000_000_000 });
  if (!made.ok) throw new Error(made.error.message);
  return tree;
}
