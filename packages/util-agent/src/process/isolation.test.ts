/** Which folders of a storage root an agent's program is left. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StepScope, WorkflowRuntime } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isolationOf, withIsolation } from "./isolation.ts";

const CLONE = "repositories/0123456789abcdef.git";
const IMPORTED = "workspaces/01JABCDEFGHJKMNPQRSTVWXYZ0.git";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "uwf-root-")));
  for (const folder of ["keys", "agents/one", "tree/src", "node_modules", CLONE, IMPORTED])
    mkdirSync(join(root, folder), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Relative to the root. */
function kept(cwd: string): string[] {
  const home = join(root, "agents", "one");
  const isolation = isolationOf({
    ...{ isolation: "sandbox", storageRoot: root, home, cwd: join(root, cwd), offline: false },
  });
  const folders = isolation?.kept.map((folder) => folder.slice(root.length + 1)) ?? [];
  return folders.filter((each) => each !== "agents/one" && each !== "node_modules").toSorted();
}

const names = (text: string): void => writeFileSync(join(root, "tree", ".git"), text);

it("a folder outside of any work tree is left alone", () => {
  expect(kept("tree/src")).toEqual(["tree/src"]);
  expect(kept("../elsewhere")).toEqual([]);
});

it.each([CLONE, IMPORTED])(
  "the work tree of %s is left whole, with its repository",
  (repository) => {
    names(`gitdir: ${join(root, repository)}/worktrees/x\n`);
    for (const [cwd, own] of [
      ["tree", ["tree"]],
      ["tree/src", ["tree", "tree/src"]],
    ] as const)
      expect(kept(cwd)).toEqual([repository, ...own].toSorted());
  },
);

it.each([
  ["the keys", () => `${join(root, "keys")}/worktrees/x`],
  ["the root", () => `${root}/worktrees/x`],
  ["above it", () => `${join(root, CLONE)}/../../keys/worktrees/x`],
  ["behind it", () => `${join(root, CLONE)}/worktrees/../../../keys/worktrees/x`],
  ["the repository without a work tree", () => join(root, CLONE)],
  ["a relative path", () => `../keys/worktrees/x`],
  ["another thing of the work trees", () => `${join(root, "workspaces")}/worktrees/x`],
])("a work tree that names %s gets nothing by it", (_, gitDir) => {
  names(`gitdir: ${gitDir()}\n`);
  expect(kept("tree")).toEqual(["tree"]);
});

it.each([
  ["is long", "x".repeat(10_000)],
  ["says nothing", ""],
  ["has two lines", "gitdir: a\ngitdir: b\n"],
])("a file that %s names no repository", (_, text) => {
  names(text);
  expect(kept("tree")).toEqual(["tree"]);
});

it("what is no file is not read", () => {
  symlinkSync("/dev/zero", join(root, "tree", ".git"));
  expect(kept("tree")).toEqual(["tree"]);
});

const given = (isolation: StepScope["isolation"]): WorkflowRuntime =>
  ({ step: { isolation, storageRoot: root, cwd: root } }) as WorkflowRuntime;

it.each([
  ["the storage root", "", true],
  ["a folder that it is in", "..", true],
  ["another folder of the same name and more", "../other", false],
  ["a folder in it", "tree", false],
])(
  "auto gives no sandbox to an agent that is configured to write to %s: %s",
  async (_, place, none) => {
    const writable = [join(root, place)];
    const { runtime, note } = await withIsolation(given("auto"), { writable });
    if (none)
      expect([runtime.step.isolation, note]).toEqual([
        undefined,
        expect.stringContaining("configured"),
      ]);
    else expect(note ?? "").not.toContain("configured");
    expect((await withIsolation(given("sandbox"), { writable })).runtime.step.isolation).toBe(
      "sandbox",
    );
  },
);

it.each([
  ["isolation is off", undefined, "config.isolation is none"],
  ["auto gives none", "auto", "configured to write"],
] as const)("a step that has to be offline is refused where %s", async (_, isolation, why) => {
  const refused = withIsolation(given(isolation), { writable: [root], offline: true });
  await expect(refused).rejects.toThrow(why);
  expect((await withIsolation(given(isolation), { writable: [root] })).note ?? why).toContain(why);
});

it("a step that has to be offline is refused where the storage root is not known", async () => {
  const step = { isolation: "sandbox", cwd: root } as const;
  const runtime = { step } as unknown as WorkflowRuntime;
  await expect(withIsolation(runtime, { offline: true })).rejects.toThrow("not known");
  await expect(withIsolation(given("sandbox"), { offline: true })).resolves.toBeDefined();
});
