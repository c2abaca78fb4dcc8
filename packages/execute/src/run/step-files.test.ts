import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StepWorkspace } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type StepFiles, type StepFilesOptions, stepFiles } from "./step-files.ts";

const THREAD = "01KAJ2Z6PVX0000000000000ZZ";

let folder: string;
let repo: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "uwf-step-files-")));
  repo = join(folder, "repo");
  mkdirSync(repo);
  git("init", "-q", "-b", "main");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("a step's record has the trees before and after it, and both are kept", async () => {
  write("a.txt", "1");
  const files = filesOf({});
  await files.begin({ round: 1, cwd: repo });
  write("a.txt", "2");
  const { workspace, notes } = await files.end({ round: 1, role: "coder" });
  expect(notes).toEqual([]);
  expect(workspace).toMatchObject({
    ...{ repository: join(repo, ".git"), workTree: repo, head: null, branch: "main" },
    objectFormat: "sha1",
  });
  expect(text(workspace?.before, "a.txt")).toBe("1");
  expect(text(workspace?.after, "a.txt")).toBe("2");
  expect(git("log", "--format=%s %T", `refs/uncaged/${THREAD}`).trim().split("\n")).toEqual([
    `step 1: coder ${workspace?.after}`,
    `before step 1 ${workspace?.before}`,
  ]);
});

it("a folder in no repository, and snapshots that are off, cost nothing and record nothing", async () => {
  const none = { workspace: null, notes: [] };
  const outside = filesOf({});
  expect(outside.begin({ round: 1, cwd: folder })).toBeNull();
  expect(await outside.end({ round: 1, role: "coder" })).toEqual(none);
  const off = filesOf({ isOn: false });
  expect(off.begin({ round: 1, cwd: repo })).toBeNull();
  expect(await off.end({ round: 1, role: "coder" })).toEqual(none);
  expect(await filesOf({}).end({ round: 1, role: "a person" })).toEqual(none);
});

it("members of a group have their group's tree before, and each its own after", async () => {
  write("a.txt", "0");
  const files = filesOf({});
  const [first, second] = [0, 1].map((index) => ({ name: "g", entry: 0, index, of: 2 }));
  await files.begin({ round: 1, cwd: repo, group: first });
  write("a.txt", "1");
  await files.begin({ round: 1, cwd: repo, group: second });
  const one = await files.end({ round: 1, role: "a", group: first });
  write("b.txt", "2");
  const two = await files.end({ round: 2, role: "b", group: second });
  expect(one.workspace?.before).toBe(two.workspace?.before);
  expect(text(two.workspace?.before, "a.txt")).toBe("0");
  expect(git("log", "--format=%T", `refs/uncaged/${THREAD}`).trim().split("\n")).toEqual([
    two.workspace?.after,
    one.workspace?.after,
    one.workspace?.before,
  ]);
});

it("a role that was cut off goes on from the files that the last step left", async () => {
  write("a.txt", "1");
  const before = filesOf({});
  await before.begin({ round: 1, cwd: repo });
  const { workspace } = await before.end({ round: 1, role: "coder" });
  write("half.txt", "done by the attempt that was cut off");
  const again = filesOf({ cutOffFrom: workspace });
  await again.begin({ round: 2, cwd: repo });
  const next = await again.end({ round: 2, role: "coder" });
  expect(next.workspace?.before).toBe(workspace?.after);
  expect(text(next.workspace?.after, "half.txt")).toContain("cut off");
});

it("git that fails does not cost the step: a note says that its files are not recorded", async () => {
  const files = filesOf({});
  await files.begin({ round: 1, cwd: repo });
  rmSync(join(repo, ".git/objects"), { recursive: true });
  const ended = await files.end({ round: 1, role: "coder" });
  expect(ended.workspace).toBeNull();
  expect(ended.notes).toEqual([expect.stringContaining("files not recorded: git")]);
  await files.begin({ round: 2, cwd: repo });
  expect((await files.end({ round: 2, role: "coder" })).notes).toHaveLength(1);
});

it("a storage root inside the repository is no part of its files", async () => {
  write("a.txt", "1");
  write("root/index.db", "x");
  const files = filesOf({ root: join(repo, "root") });
  await files.begin({ round: 1, cwd: repo });
  const { workspace } = await files.end({ round: 1, role: "coder" });
  expect(git("ls-tree", "-r", "--name-only", workspace?.after ?? "")).toBe("a.txt\n");
});

function filesOf(options: Partial<StepFilesOptions>): StepFiles {
  const root = join(folder, "root");
  const now = () => 1_700_000_000_000;
  return stepFiles({
    root,
    threadId: THREAD,
    fence: 1,
    isOn: true,
    cutOffFrom: null,
    now,
    travel: null,
    ...options,
  });
}

function write(name: string, content: string): void {
  mkdirSync(join(repo, name, ".."), { recursive: true });
  writeFileSync(join(repo, name), content);
}

const text = (tree: StepWorkspace["after"] | undefined, name: string): string =>
  git("show", `${tree}:${name}`);

function git(...args: string[]): string {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", args, { cwd: repo, encoding: "utf8", env, stdio: "pipe" });
}
