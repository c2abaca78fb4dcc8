/** A thread goes to another storage root together with the files of its steps. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StepView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { openPlace, type Place } from "./workspaces.test.helper.ts";

type Shown = { cwd: string; steps: StepView[] };

let place: Place;
let there: Cli;
beforeAll(async () => {
  place = await openPlace();
  there = openCli();
});
afterAll(async () => {
  await place.close();
  await there.close();
});

it("an export with files is verified, restored and forked where the repository is not, and leaves nothing when it is removed", async () => {
  const id = await place.ended("shared", "sh: rm began; echo 1 > made");
  const { steps } = await place.json<Shown>(["thread", "show", id]);
  const out = join(place.dir, "with.tar");
  await place.json(["thread", "export", id, "--with-files", "--out", out]);
  const plain = join(place.dir, "plain.tar");
  await place.json(["thread", "export", id, "--out", plain]);
  // Another machine.
  rmSync(place.repo, { recursive: true });
  expect((await place.run(["thread", "verify", id])).code).not.toBe(0);
  expect(await there.fails(["thread", "import", plain, "--into", there.dir])).toMatchObject({
    code: "USAGE",
  });
  const shadow = join(there.root, "workspaces", `${id}.git`);
  for (const _again of [1, 2])
    expect(await there.json(["thread", "import", out])).toMatchObject({ files: shadow });
  expect(await there.json(["thread", "verify", id])).toMatchObject({ ok: true });
  await there.json(["thread", "restore", id, "--step", "1", "--to", "as-it-was"]);
  const restored = join(there.dir, "as-it-was");
  expect(readdirSync(restored).sort()).toEqual([
    ".gitignore",
    ".uncaged",
    ".worktreeinclude",
    "made",
  ]);
  expect(await there.json(["thread", "show", id, "--files", "2"])).toMatchObject({
    files: [{ path: "second", change: "added" }],
  });
  const fork = ["thread", "fork", id, "--from-step", "1", "--files", "--idle"];
  const { threadId } = await there.json<{ threadId: string }>(fork);
  const { cwd } = await there.json<Shown>(["thread", "show", threadId]);
  expect(readFileSync(join(cwd, "made"), "utf8")).toBe("1\n");
  expect(git(cwd, "write-tree")).toBe(`${steps[0]?.workspace?.after}\n`);
  // Both have their files there.
  await there.json(["thread", "rm", id]);
  git(shadow, "gc", "-q", "--prune=now");
  expect(await there.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  await there.json(["thread", "rm", threadId]);
  expect(existsSync(shadow)).toBe(false);
  expect(existsSync(cwd)).toBe(false);
});

it("the files go into a given repository; an export whose files are not those of its steps is refused", async () => {
  const other = await openPlace();
  try {
    const id = await other.ended("shared", "sh: echo 1 > made");
    const out = join(other.dir, "with.tar");
    await other.json(["thread", "export", id, "--with-files", "--out", out]);
    const clone = join(there.dir, "clone");
    execFileSync("git", ["clone", "-q", other.repo, clone], { stdio: "pipe" });
    const before = readFileSync(join(clone, ".git", "index"));
    const imported = ["thread", "import", out, "--into", clone];
    expect(await there.json(imported)).toMatchObject({ files: join(clone, ".git") });
    expect(readFileSync(join(clone, ".git", "index"))).toEqual(before);
    expect(git(clone, "for-each-ref", "--format=%(refname)", "refs/uncaged")).toBe(
      `refs/uncaged/${id}\n`,
    );
    expect(await there.json(["thread", "verify", id])).toMatchObject({ ok: true });
    const bytes = readFileSync(out);
    const at = bytes.indexOf("PACK") + 40;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(join(there.dir, "forged.tar"), bytes);
    expect(await there.fails(["thread", "import", "forged.tar"])).toMatchObject({
      code: "EXPORT_INVALID",
    });
  } finally {
    await other.close();
  }
});

function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: "pipe" });
}
