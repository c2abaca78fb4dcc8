import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Failure, type Result, unwrap } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { type SampleRepository, sampleRepository } from "./sample-repository.test.helper.ts";
import { type Snapshot, takeSnapshot } from "./take-snapshot.ts";

test("an unchanged work tree has the tree of its commit", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "a", "sub/b.txt": "b" });
  const { tree, skipped } = await sample.snapshot();
  expect(tree).toBe(sample.git("rev-parse", "HEAD^{tree}").trim());
  expect(skipped).toEqual([]);
  expect((await sample.snapshot()).tree).toBe(tree);
});

test("a repository that names objects by SHA-256 has such trees", async () => {
  using sample = sampleRepository("--object-format=sha256");
  sample.commit({ "a.txt": "a" });
  const { tree } = await sample.snapshot();
  expect(tree).toBe(sample.git("rev-parse", "HEAD^{tree}").trim());
  expect(tree).toHaveLength(64);
});

test("changed, new, deleted and renamed files count; ignored ones do not", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "a", "b.txt": "b", "c.txt": "c", ".gitignore": "*.log\n/out/\n" });
  await sample.snapshot();
  sample.write({ "a.txt": "A", "new.txt": "n", "x.log": "l", "out/y": "y" });
  rmSync(join(sample.folder, "b.txt"));
  sample.git("mv", "c.txt", "d.txt");
  const { tree } = await sample.snapshot();
  expect(sample.names(tree)).toEqual([".gitignore", "a.txt", "d.txt", "new.txt"]);
  expect(sample.git("show", `${tree}:a.txt`)).toBe("A");
});

test("a change that leaves size and time of a file as they were is seen", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "one" });
  const { tree } = await sample.snapshot();
  const { atime, mtime } = statSync(join(sample.folder, "a.txt"));
  sample.write({ "a.txt": "two" });
  utimesSync(join(sample.folder, "a.txt"), atime, mtime);
  expect((await sample.snapshot()).tree).not.toBe(tree);
});

test("a change right after a snapshot, within the resolution of the clock, is seen", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "0" });
  const trees = new Set<string>();
  for (let at = 0; at < 10; at += 1) {
    sample.write({ "a.txt": String(at) });
    trees.add((await sample.snapshot()).tree);
  }
  expect(trees.size).toBe(10);
});

test("lists of ignored files count wherever they are: in the folder, the repository and the configuration", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "a" });
  sample.write({ "keep.txt": "", "one.tmp": "", "two.bak": "", "sub/three.o": "" });
  sample.write({
    "sub/.gitignore": "*.o\n",
    ".git/info/exclude": "*.tmp\n",
    ".git/mine": "*.bak\n",
  });
  sample.git("config", "core.excludesFile", join(sample.folder, ".git/mine"));
  const { tree } = await sample.snapshot();
  expect(sample.names(tree)).toEqual(["a.txt", "keep.txt", "sub/.gitignore"]);
});

test("an ignored file is recorded while it is tracked, and a recorded one no longer is once it is ignored", async () => {
  using sample = sampleRepository();
  sample.commit({ ".gitignore": "*.key\n", "tracked.key": "1", "a.txt": "a" });
  sample.write({ "other.key": "2", "cache/x": "x" });
  expect(sample.names((await sample.snapshot()).tree)).toEqual([
    ".gitignore",
    "a.txt",
    "cache/x",
    "tracked.key",
  ]);
  sample.write({ ".gitignore": "*.key\ncache/\n" });
  sample.git("rm", "-q", "--cached", "tracked.key");
  expect(sample.names((await sample.snapshot()).tree)).toEqual([".gitignore", "a.txt"]);
});

test("a file that the user's index marks as unchanged or left out is looked at all the same", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "a", "b.txt": "b" });
  sample.git("update-index", "--assume-unchanged", "a.txt");
  sample.git("update-index", "--skip-worktree", "b.txt");
  sample.write({ "a.txt": "A", "b.txt": "B" });
  const { tree } = await sample.snapshot();
  expect(sample.git("show", `${tree}:a.txt`, `${tree}:b.txt`)).toBe("AB");
});

test("nothing of the user's changes: index, branch, stash, hooks, configuration, status", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "a", "b.txt": "b" });
  sample.write({ "a.txt": "stashed" });
  sample.git("stash");
  sample.write({ "a.txt": "A", "new.txt": "n" });
  sample.git("add", "a.txt");
  const before = usersState(sample.folder);
  await sample.snapshot();
  sample.write({ "b.txt": "B" });
  await sample.snapshot();
  sample.write({ "b.txt": "b" });
  expect(usersState(sample.folder)).toEqual(before);
});

test("the user's lock, a rebase in progress and a conflict are in nobody's way", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "base" });
  sample.git("switch", "-q", "-c", "side");
  sample.commit({ "a.txt": "side" });
  sample.git("switch", "-q", "main");
  sample.commit({ "a.txt": "main" });
  expect(() => sample.git("rebase", "side")).toThrow();
  sample.write({ ".git/index.lock": "" });
  const { tree } = await sample.snapshot();
  expect(sample.git("show", `${tree}:a.txt`)).toContain("<<<<<<<");
});

test("an unborn branch, and a work tree without files", async () => {
  using sample = sampleRepository();
  const { tree } = await sample.snapshot();
  expect(sample.names(tree)).toEqual([]);
  sample.write({ "a.txt": "a" });
  expect(sample.names((await sample.snapshot()).tree)).toEqual(["a.txt"]);
  rmSync(join(sample.folder, "a.txt"));
  expect((await sample.snapshot()).tree).toBe(tree);
});

test("a linked work tree has its own files; its `.git` is a file", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "a" });
  sample.git("worktree", "add", "-q", "-b", "side", "../side");
  const side = join(sample.folder, "../side");
  writeFileSync(join(side, "side.txt"), "s");
  expect(sample.names((await sample.snapshot(side)).tree)).toEqual(["a.txt", "side.txt"]);
  expect(sample.names((await sample.snapshot()).tree)).toEqual(["a.txt"]);
});

test("submodules and nested repositories are recorded by their commit, and git does not run inside them", async () => {
  using sample = sampleRepository();
  using other = sampleRepository();
  other.commit({ "lib.txt": "1" });
  sample.git("submodule", "add", "-q", other.folder, "lib");
  sample.commit({ "a.txt": "a" });
  sample.git("init", "-q", "nested");
  sample.git("-C", "nested", "commit", "-q", "--allow-empty", "-m", "x");
  sample.git("init", "-q", "empty");
  sample.git("-C", "lib", "config", "filter.trap.clean", trap(sample.folder));
  sample.write({ "lib/.gitattributes": "* filter=trap\n", "lib/lib.txt": "2" });
  const { tree, skipped } = await sample.snapshot();
  expect(sample.git("ls-tree", tree)).toContain(
    `160000 commit ${other.git("rev-parse", "HEAD").trim()}\tlib`,
  );
  expect(sample.names(tree)).toEqual([".gitmodules", "a.txt", "lib", "nested"]);
  expect(skipped).toEqual(["empty"]);
  sample.git("-C", "lib", "-c", "filter.trap.clean=", "commit", "-q", "--allow-empty", "-m", "y");
  const next = await sample.snapshot();
  expect(sample.git("ls-tree", next.tree, "lib")).toContain(
    sample.git("-C", "lib", "rev-parse", "HEAD").trim(),
  );
  expect(readdirSync(sample.folder)).not.toContain("sprung");
});

test("a submodule that is not checked out keeps the commit that the index has", async () => {
  using sample = sampleRepository();
  using other = sampleRepository();
  other.commit({ "lib.txt": "1" });
  sample.git("submodule", "add", "-q", other.folder, "lib");
  sample.commit({});
  sample.git("submodule", "deinit", "-q", "-f", "lib");
  expect((await sample.snapshot()).tree).toBe(sample.git("rev-parse", "HEAD^{tree}").trim());
});

test("what a sparse checkout leaves out is in the tree as the index has it", async () => {
  using sample = sampleRepository();
  sample.commit({ "in/a.txt": "a", "out/b.txt": "b", "top.txt": "t" });
  sample.git("sparse-checkout", "set", "in");
  expect((await sample.snapshot()).tree).toBe(sample.git("rev-parse", "HEAD^{tree}").trim());
  sample.write({ "in/a.txt": "A", "out/new.txt": "n" });
  const { tree } = await sample.snapshot();
  expect(sample.names(tree)).toEqual(["in/a.txt", "out/b.txt", "out/new.txt", "top.txt"]);
  expect(sample.git("show", `${tree}:in/a.txt`)).toBe("A");
  rmSync(join(sample.folder, "out"), { recursive: true });
  sample.git("checkout", "-q", "in/a.txt");
  sample.git("sparse-checkout", "disable");
  expect((await sample.snapshot()).tree).toBe(sample.git("rev-parse", "HEAD^{tree}").trim());
  rmSync(join(sample.folder, "out"), { recursive: true });
  expect(sample.names((await sample.snapshot()).tree)).toEqual(["in/a.txt", "top.txt"]);
});

test("what lies on disk is recorded, whatever a filter would make of it", async () => {
  using sample = sampleRepository();
  const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 3\n";
  sample.commit({ ".gitattributes": "*.bin filter=lfs\n", "pointer.bin": pointer });
  sample.git("config", "filter.lfs.clean", trap(sample.folder));
  sample.git("config", "filter.lfs.process", trap(sample.folder));
  sample.git("config", "filter.lfs.required", "true");
  sample.write({ "big.bin": "the content itself" });
  const { tree } = await sample.snapshot();
  expect(sample.git("show", `${tree}:pointer.bin`)).toBe(pointer);
  expect(sample.git("show", `${tree}:big.bin`)).toBe("the content itself");
  expect(readdirSync(sample.folder)).not.toContain("sprung");
});

test("nothing that a repository can configure runs", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "a" });
  const sprung = trap(sample.folder);
  for (const name of [
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "diff.external",
  ])
    sample.git("config", name, sprung);
  for (const kind of ["clean", "smudge", "process"])
    sample.git("config", `filter.x.${kind}`, sprung);
  sample.git("config", "diff.x.textconv", sprung);
  sample.git("config", "diff.x.command", sprung);
  sample.git("config", "merge.x.driver", sprung);
  sample.git("config", "core.hooksPath", join(sample.folder, ".git/traps"));
  sample.write({ ".git/more": `[filter "y"]\n\tclean = ${sprung}\n\trequired\n` });
  sample.git("config", "include.path", "more");
  sample.git("config", "remote.origin.url", `ext::${sprung}`);
  sample.git("config", "extensions.partialClone", "origin");
  sample.git("config", "alias.update-index", `!${sprung}`);
  mkdirSync(join(sample.folder, ".git/traps"));
  for (const hook of ["post-index-change", "reference-transaction", "pre-auto-gc"])
    execFileSync("cp", [sprung, join(sample.folder, ".git/traps", hook)]);
  sample.write({
    ".gitattributes": "* filter=x diff=x merge=x\n*.y filter=y\n",
    ".git/info/attributes": "*.z filter=x\n",
    ".gitmodules": `[submodule "m"]\n\tpath = m\n\turl = ext::${sprung}\n\tupdate = !${sprung}\n`,
    "b.y": "b",
    "c.z": "c",
    "a.txt": "A",
  });
  const { tree } = await sample.snapshot();
  expect(sample.git("-c", "diff.external=", "show", `${tree}:b.y`)).toBe("b");
  expect(readdirSync(sample.folder)).not.toContain("sprung");
});

test("line endings are recorded as the repository wants them", async () => {
  using sample = sampleRepository();
  sample.git("config", "core.autocrlf", "true");
  sample.write({ "a.txt": "one\r\ntwo\r\n" });
  const { tree } = await sample.snapshot();
  expect(sample.git("show", `${tree}:a.txt`)).toBe("one\ntwo\n");
});

test("names with line breaks, dashes and bytes that are not UTF-8", async () => {
  using sample = sampleRepository();
  sample.write({
    "-rf": "1",
    "a\nb": "2",
    " lead": "3",
    'q"uote': "4",
    ":(glob)*": "5",
    "trail ": "6",
  });
  const strange = Buffer.concat([
    Buffer.from(`${sample.folder}/`),
    Buffer.from([0x66, 0xff, 0xfe]),
  ]);
  writeFileSync(strange, "7");
  const { tree, skipped } = await sample.snapshot();
  expect(skipped).toEqual([]);
  expect(sample.names(tree)).toHaveLength(7);
  writeFileSync(strange, "8");
  const next = await sample.snapshot();
  expect(sample.names(next.tree)).toHaveLength(7);
  expect(next.tree).not.toBe(tree);
});

test("a file that cannot be read is not in the tree, and is named", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "a", "b.txt": "b", "c.txt": "c" });
  sample.write({ "a.txt": "A", "b.txt": "B", "d.txt": "d" });
  chmodSync(join(sample.folder, "b.txt"), 0);
  const { tree, skipped } = unwrap(snapshotByNobody(sample));
  expect(sample.names(tree)).toEqual(["a.txt", "c.txt", "d.txt"]);
  expect(skipped).toEqual(["b.txt"]);
});

test("pipes are left out, links are recorded as links, and a file may become a folder and back", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "a", thing: "file", "folder/x": "x" });
  await sample.snapshot();
  makePipe(join(sample.folder, "pipe"));
  symlinkSync("/etc/passwd", join(sample.folder, "link"));
  for (const name of ["a.txt", "thing", "folder"])
    rmSync(join(sample.folder, name), { recursive: true });
  makePipe(join(sample.folder, "a.txt"));
  sample.write({ "thing/inside": "i", folder: "now a file" });
  const { tree, skipped } = await sample.snapshot();
  expect(sample.git("ls-tree", "-r", tree).replace(/[\da-f]{40}/g, "id")).toBe(
    "100644 blob id\tfolder\n120000 blob id\tlink\n100644 blob id\tthing/inside\n",
  );
  expect(skipped).toEqual(["a.txt"]);
});

test("a huge file is recorded without being held in memory", async () => {
  using sample = sampleRepository();
  sample.write({ "small.txt": "s", "huge.bin": "" });
  truncateSync(join(sample.folder, "huge.bin"), 40 * 1024 * 1024);
  const { tree } = await sample.snapshot();
  expect(sample.git("ls-tree", "-l", tree, "huge.bin")).toContain(" 41943040\t");
});

test("a snapshot mends what `git gc` or a crash did to its own index", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "a" });
  sample.write({ "new.txt": "only in the snapshot" });
  const { tree } = await sample.snapshot();
  sample.git("gc", "-q", "--prune=now");
  expect((await sample.snapshot()).tree).toBe(tree);
  const [own = ""] = readdirSync(sample.keep);
  writeFileSync(join(sample.keep, own, "index"), "nonsense");
  expect((await sample.snapshot()).tree).toBe(tree);
  expect(readdirSync(join(sample.keep, own)).filter((name) => name.startsWith("index"))).toEqual([
    "index",
  ]);
});

test("folders that do not belong to the work tree are left out, whatever their names", async () => {
  using sample = sampleRepository();
  sample.write({ "a.txt": "a", "[root] */index.db": "1", "rootx/b.txt": "b" });
  const leaveOut = [join(sample.folder, "[root] *")];
  const repository = await sample.repository();
  const taken = await takeSnapshot({ repository, keep: sample.keep, leaveOut });
  if (!taken.ok) throw new Error(taken.error.message);
  expect(sample.names(taken.value.tree)).toEqual(["a.txt", "rootx/b.txt"]);
});

test("several snapshots at once are all right", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "a" });
  sample.write({ "b.txt": "b" });
  const taken = await Promise.all([1, 2, 3, 4].map(() => sample.snapshot()));
  expect(new Set(taken.map(({ tree }) => tree)).size).toBe(1);
});

test("a repository that cannot be written to is an error, not a tree without files", () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "a" });
  sample.write({ "b.txt": "b" });
  execFileSync("chmod", ["-R", "a-w", join(sample.folder, ".git/objects")]);
  expect(snapshotByNobody(sample)).toMatchObject({ ok: false, error: { code: "GIT_FAILED" } });
});

/** By a process without the rights of root, who may read everything. */
function snapshotByNobody({ folder, keep }: SampleRepository): Result<Snapshot, Failure> {
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (nobody.uid !== undefined) {
    mkdirSync(keep);
    execFileSync("chown", ["-R", "65534:65534", join(folder, "..")]);
  }
  const child = fileURLToPath(new URL("./snapshot.test.child.ts", import.meta.url));
  const env = { PATH: process.env.PATH, HOME: keep };
  const printed = execFileSync(process.execPath, [child, folder, keep], { env, ...nobody });
  return JSON.parse(printed.toString());
}

const makePipe = (path: string): void => {
  execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
};

/** An executable that leaves a mark; it lies where it changes no tree. */
function trap(folder: string): string {
  const path = join(folder, ".git/trap.sh");
  writeFileSync(path, `#!/bin/sh\ntouch ${join(folder, "sprung")}\n`, { mode: 0o755 });
  return path;
}

function usersState(folder: string): Record<string, string> {
  const files = [
    "index",
    "HEAD",
    "config",
    "logs/HEAD",
    "refs/stash",
    "packed-refs",
    "refs/heads/main",
  ];
  const read = (name: string): string => {
    try {
      return readFileSync(join(folder, ".git", name)).toString("latin1");
    } catch {
      return "none";
    }
  };
  const status = execFileSync("git", ["--no-optional-locks", "status", "--porcelain=v2", "-z"], {
    cwd: folder,
    encoding: "latin1",
  });
  return {
    ...Object.fromEntries(files.map((name) => [name, read(name)])),
    hooks: readdirSync(join(folder, ".git/hooks")).join(),
    git: readdirSync(join(folder, ".git")).join(),
    status,
  };
}
