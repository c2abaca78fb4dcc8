/** Verbs that bring or take files, killed at their git calls, and given twice at once: what is the user's stays, nothing
 *  is lost, and given again they go through. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StepView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openCli } from "./cli.test.helper.ts";
import { type KillingGit, killingGit, placesOf } from "./killing-git.test.helper.ts";
import { openPlace, type Place } from "./workspaces.test.helper.ts";

/** At how many places each verb is killed; more than there are: at all. */
const KILLS = Number(process.env.UNCAGED_TEST_GIT_KILLS ?? 1);

type Shown = { cwd: string; head: string; steps: StepView[] };

let place: Place;
let killer: KillingGit;
/** A thread with one step, in the repository of a user who is in the middle of something. */
let id: string;
beforeAll(async () => {
  place = await openPlace();
  killer = killingGit(join(place.dir, "bin"));
  writeFileSync(join(place.repo, "began"), "stashed\n");
  place.git("stash");
  writeFileSync(join(place.repo, "staged"), "staged\n");
  place.git("add", "staged");
  const run = ["run", "shared", "--cwd", place.repo, "--idle", "--prompt", "sh: echo 1 > made"];
  id = (await place.json<{ threadId: string }>(run)).threadId;
  await place.json(["thread", "exec", id]);
});
afterAll(() => place.close());

const shown = (thread: string): Promise<Shown> => place.json(["thread", "show", thread]);
/** Its files. */
const treeOf = async (thread: string): Promise<string> =>
  (await shown(thread)).steps[0]?.workspace?.after ?? "";
const fork = async (): Promise<string> => {
  const { threadId } = await place.json<{ threadId: string }>(["thread", "fork", id, "--idle"]);
  return threadId;
};
const worktreeOf = (thread: string): string => join(place.root, "worktrees", thread);

it("a fork", { timeout: 600_000 }, async () => {
  const before = usersState(place.repo);
  const tree = await treeOf(id);
  await everywhere(["thread", "fork", id, "--idle"], {
    again: async () => {
      expect(usersState(place.repo)).toEqual(before);
      expect(filesIn(worktreeOf(await fork()))).toBe(tree);
    },
  });
  const forks = await tidied();
  expect(readdirSync(join(place.root, "worktrees")).sort()).toEqual(forks.sort());
  expect(place.git("worktree", "list").trim().split("\n")).toHaveLength(forks.length + 1);
  expect(place.git("branch", "--list", "uncaged/*").trim().split("\n")).toHaveLength(forks.length);
  expect(place.git("fsck", "--no-dangling")).toBe("");
});

it("a worktree that is taken back", { timeout: 600_000 }, async () => {
  const before = usersState(place.repo);
  const args = async (): Promise<string[]> => {
    const made = await fork();
    writeFileSync(join(worktreeOf(made), "precious"), made);
    return ["workspace", "rm", made, "--record"];
  };
  await everywhere(await args(), {
    again: async (killed) => {
      expect(usersState(place.repo)).toEqual(before);
      const [, , made = ""] = killed;
      await place.json(killed);
      expect(existsSync(worktreeOf(made))).toBe(false);
      expect(place.git("show", `refs/uncaged/${made}:precious`)).toBe(made);
      expect(place.git("branch", "--list", `uncaged/*-${made}`)).toBe("");
    },
    next: args,
  });
});

it("a poke", { timeout: 600_000 }, async () => {
  const before = usersState(place.repo);
  const poke = ["thread", "poke", id, "--prompt", "sh: echo 2 >> made"];
  await everywhere(poke, {
    again: async () => {
      expect({ ...usersState(place.repo), status: before.status }).toEqual(before);
      await place.json(poke);
      expect(readFileSync(join(place.repo, "made"), "utf8")).toBe("2\n");
      expect(readFileSync(join(place.repo, "staged"), "utf8")).toBe("staged\n");
      expect(usersState(place.repo)).toEqual(before);
      expect((await shown(id)).steps).toHaveLength(1);
    },
  });
  expect(await place.json(["thread", "verify", id])).toMatchObject({ ok: true });
});

it("an import with files", { timeout: 600_000 }, async () => {
  const there = openCli();
  try {
    const out = join(place.dir, "with.tar");
    await place.json(["thread", "export", id, "--with-files", "--out", out]);
    const clone = join(there.dir, "clone");
    execFileSync("git", ["clone", "-q", place.repo, clone], { stdio: "pipe" });
    const before = usersState(clone);
    const args = ["thread", "import", out, "--into", clone];
    await everywhere(args, {
      run: (env) => there.run(args, { env }),
      again: async () => {
        expect(usersState(clone)).toEqual(before);
        await there.json(args);
        expect(await there.json(["thread", "verify", id])).toMatchObject({ ok: true });
        await there.json(["thread", "rm", id]);
        expect(existsSync(join(there.root, "workspaces", `${id}.imported`))).toBe(false);
        rmSync(join(clone, ".git", "refs", "uncaged"), { recursive: true, force: true });
      },
    });
  } finally {
    await there.close();
  }
});

it("two at once", { timeout: 120_000 }, async () => {
  const before = usersState(place.repo);
  const forks = await Promise.all([fork(), fork()]);
  for (const each of forks) expect(filesIn(worktreeOf(each))).toBe(await treeOf(id));
  const [one = ""] = forks;
  await twice(["workspace", "rm", one], ["LEASE_HELD"]);
  expect(existsSync(worktreeOf(one))).toBe(false);
  expect(place.git("branch", "--list", `uncaged/*-${one}`)).toBe("");
  await twice(["thread", "poke", id, "--prompt", "sh: echo 3 >> made"], ["LEASE_HELD"]);
  expect(readFileSync(join(place.repo, "made"), "utf8")).toBe("3\n");
  expect(usersState(place.repo)).toEqual(before);
  const out = join(place.dir, "twice.tar");
  await place.json(["thread", "export", id, "--with-files", "--out", out]);
  const there = openCli();
  try {
    const both = [1, 2].map(() => there.json(["thread", "import", out]));
    for (const done of await Promise.all(both)) expect(done).toMatchObject({ threadId: id });
    expect(await there.json(["thread", "verify", id])).toMatchObject({ ok: true });
  } finally {
    await there.close();
  }
});

it("a fork that fails leaves nothing", async () => {
  const blob = place.git("rev-parse", `${await treeOf(id)}:made`).trim();
  const object = join(place.repo, ".git", "objects", blob.slice(0, 2), blob.slice(2));
  const left = () => [
    place.git("worktree", "list"),
    place.git("branch", "--list"),
    readdirSync(join(place.root, "workspaces")).filter((name) => name.endsWith(".json")),
  ];
  const before = left();
  renameSync(object, join(place.dir, "away"));
  expect(await place.fails(["thread", "fork", id, "--idle"])).toMatchObject({ code: "GIT_FAILED" });
  renameSync(join(place.dir, "away"), object);
  expect(left()).toEqual(before);
});

/** At least one of two goes through; the other may be refused. */
async function twice(args: string[], refused: string[]): Promise<void> {
  const both = await Promise.all([1, 2].map(() => place.run(["--json", ...args])));
  expect(both.some(({ code }) => code === 0)).toBe(true);
  for (const { code, stderr } of both)
    if (code !== 0) expect(refused).toContain(JSON.parse(stderr).error.code);
}

/** Has a command killed at some of its git calls. `again` looks at what is left and gives it again. `next`: what is killed
 *  next, when that is another command. */
async function everywhere(
  first: string[],
  {
    run = (env, args) => place.run(args, { env }),
    again,
    next,
  }: {
    run?: (env: { PATH: string }, args: string[]) => Promise<{ code: number | null }>;
    again: (killed: string[]) => Promise<unknown>;
    next?: () => Promise<string[]>;
  },
): Promise<void> {
  let args = first;
  expect((await run(killer.env(null), args)).code).toBe(0);
  const calls = killer.calls();
  await again(args);
  for (const at of placesOf(calls, KILLS)) {
    args = (await next?.()) ?? args;
    const { code } = await run(killer.env(at), args);
    expect({ at, code }).toEqual({ at, code: null });
    await again(args);
  }
}

/** Forgets what forks left that were killed before they were threads. Returns the forks. */
async function tidied(): Promise<string[]> {
  const { threads } = await place.json<{ threads: { threadId: string }[] }>(["thread", "list"]);
  const forks = threads.map(({ threadId }) => threadId).filter((thread) => thread !== id);
  const made = readdirSync(join(place.root, "workspaces"))
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length));
  for (const left of made.filter((thread) => !forks.includes(thread)))
    await place.json(["workspace", "rm", left]);
  return forks;
}

/** What no verb may change. */
function usersState(work: string): Record<string, string> {
  const git = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: work,
      encoding: "utf8",
      env: { PATH: process.env.PATH, GIT_OPTIONAL_LOCKS: "0" },
    });
  const read = (name: string): string => readFileSync(join(work, ".git", name)).toString("latin1");
  const files = ["index", "HEAD", "config", "logs/HEAD", "refs/heads/main"];
  return {
    ...Object.fromEntries(files.map((name) => [name, read(name)])),
    hooks: readdirSync(join(work, ".git/hooks")).join(),
    stash: git("stash", "list"),
    status: git("status", "--porcelain"),
  };
}

/** The files of a worktree as a tree. */
function filesIn(work: string): string {
  const index = join(place.dir, "other-index");
  const git = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: work,
      encoding: "utf8",
      env: { PATH: process.env.PATH, GIT_INDEX_FILE: index },
    });
  rmSync(index, { force: true });
  git("add", "--all");
  return git("write-tree").trim();
}
