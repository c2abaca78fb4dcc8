/** A storage root on a file system in memory that has only so much room left. */
import { execFileSync } from "node:child_process";
import { cpSync, renameSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** The root is moved there for the time of `use`. `free`: pages, or files. `giveRoom()` makes more. */
export async function withTmpfs({ dir, root }, free, use) {
  const aside = join(dir, "aside");
  renameSync(root, aside);
  execFileSync("mkdir", [root]);
  const mount = (options) => execFileSync("mount", ["-t", "tmpfs", "-o", options, "faults", root]);
  mount("size=64m,mode=700");
  try {
    cpSync(aside, root, { recursive: true });
    const { blocks, bfree, files, ffree } = statfsSync(root);
    if (free.pages !== undefined) mount(`remount,size=${(blocks - bfree + free.pages) * 4096}`);
    // One more: a file system with as many files as it may have takes not even the last of them.
    if (free.files !== undefined) mount(`remount,nr_inodes=${files - ffree + free.files + 1}`);
    return await use({ giveRoom: () => mount("remount,size=64m,nr_inodes=100000") });
  } finally {
    execFileSync("umount", ["--lazy", root]);
    rmSync(root, { recursive: true, force: true });
    renameSync(aside, root);
  }
}
