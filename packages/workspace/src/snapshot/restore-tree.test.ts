import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { restoreTree } from "./restore-tree.ts";
import { sampleRepository } from "./sample-repository.test.helper.ts";

test("the files of a tree are written as they were: content, mode, links, strange names", async () => {
  using sample = sampleRepository();
  sample.write({ "a.txt": "a", "sub/run.sh": "#!/bin/sh\n", "line\nbreak": "b" });
  chmodSync(join(sample.folder, "sub/run.sh"), 0o755);
  symlinkSync("a.txt", join(sample.folder, "link"));
  const { tree } = await sample.snapshot();
  const folder = join(sample.folder, "../restored");
  const at = { repository: await sample.repository(), keep: sample.keep, folder };
  expect(await restoreTree({ ...at, tree })).toEqual({ ok: true, value: null });
  expect(readFileSync(join(folder, "line\nbreak"), "utf8")).toBe("b");
  expect(lstatSync(join(folder, "sub/run.sh")).mode & 0o111).not.toBe(0);
  expect(readlinkSync(join(folder, "link"))).toBe("a.txt");
  expect(await restoreTree({ ...at, tree })).toMatchObject({
    ok: false,
    error: { code: "TARGET_EXISTS" },
  });
});

test("no filter of the repository runs when files are written", async () => {
  using sample = sampleRepository();
  sample.write({ ".gitattributes": "* filter=x\n", "a.txt": "a" });
  const trap = join(sample.folder, "../trap.sh");
  writeFileSync(trap, `#!/bin/sh\ntouch ${join(sample.folder, "sprung")}\n`, { mode: 0o755 });
  const { tree } = await sample.snapshot();
  sample.git("config", "filter.x.smudge", trap);
  const folder = join(sample.folder, "../restored");
  const at = { repository: await sample.repository(), keep: sample.keep, folder };
  expect(await restoreTree({ ...at, tree })).toMatchObject({ ok: true });
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("a");
  expect(existsSync(join(sample.folder, "sprung"))).toBe(false);
});

test("a tree that leads out of the folder, or into a repository, is refused", async () => {
  using sample = sampleRepository();
  const blob = execFileSync("git", ["hash-object", "-w", "--stdin"], {
    cwd: sample.folder,
    input: "x",
  })
    .toString()
    .trim();
  for (const name of ["..", ".git", ".GIT"]) {
    const entry = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, "hex")]);
    const tree = execFileSync(
      "git",
      ["hash-object", "-w", "--literally", "-t", "tree", "--stdin"],
      {
        cwd: sample.folder,
        input: entry,
      },
    )
      .toString()
      .trim();
    const folder = join(sample.folder, `../restored-${name}`);
    const at = { repository: await sample.repository(), keep: sample.keep, folder };
    expect(await restoreTree({ ...at, tree })).toMatchObject({ error: { code: "GIT_FAILED" } });
  }
});
