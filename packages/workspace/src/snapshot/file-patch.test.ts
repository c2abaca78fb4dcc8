import { existsSync } from "node:fs";
import { join } from "node:path";
import { unwrap } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { filePatch } from "./file-patch.ts";
import { sampleRepository } from "./sample-repository.test.helper.ts";

test("a changed, a new and a deleted file have their lines; one that is not text, or large, has none", async () => {
  using sample = sampleRepository();
  sample.commit({ "a.txt": "one\ntwo\n", "gone.txt": "bye\n", "b.bin": "x\0y", "*": "star\n" });
  const { tree: before } = await sample.snapshot();
  sample.commit({
    "a.txt": "one\n2\nBinary files a and b differ\n",
    "b.bin": "x\0z",
    "new.txt": "hello\n",
    "large.txt": "line\n".repeat(1_000_000),
  });
  sample.git("rm", "-q", "gone.txt");
  sample.git("commit", "-qm", "gone");
  const { tree: after } = await sample.snapshot();
  const gitDir = join(sample.folder, ".git");
  const patch = async (path: string) => unwrap(await filePatch(gitDir, { before, after, path }));
  expect(await patch("a.txt")).toContain(
    "@@ -1,2 +1,3 @@\n one\n-two\n+2\n+Binary files a and b differ\n",
  );
  expect(await patch("new.txt")).toContain("@@ -0,0 +1 @@\n+hello\n");
  expect(await patch("gone.txt")).toContain("-bye\n");
  expect(await patch("b.bin")).toBeNull();
  expect(await patch("large.txt")).toBeNull();
  // A path is a path: neither a pattern nor an option.
  expect(await patch("*")).toBe("");
  expect(await patch("--output=x")).toBe("");
});

test("programs that a repository names for its files do not run", async () => {
  using sample = sampleRepository();
  const trap = join(sample.folder, "sprung");
  for (const key of ["textconv", "command"])
    sample.git("config", `diff.evil.${key}`, `touch ${trap};`);
  sample.commit({ ".gitattributes": "*.txt diff=evil\n", "a.txt": "one\n" });
  const { tree: before } = await sample.snapshot();
  sample.commit({ "a.txt": "two\n" });
  const { tree: after } = await sample.snapshot();
  const gitDir = join(sample.folder, ".git");
  expect(unwrap(await filePatch(gitDir, { before, after, path: "a.txt" }))).toContain("+two\n");
  expect(existsSync(trap)).toBe(false);
});
