/** A disk that can lose its power: a file system on a loop device, shut down without a flush of its journal,
 *  as `xfs_io -c shutdown` does it for ext4, too. What was not flushed is gone. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const MAKE = {
  ext4: { mib: 64, command: ["mkfs.ext4", "-q", "-F"] },
  // It makes none that are smaller.
  xfs: { mib: 320, command: ["mkfs.xfs", "-q", "-f"] },
};
export const FILE_SYSTEMS = Object.keys(MAKE);

/** The root is moved there for the time of `use`, and flushed. */
export async function withDisk({ dir, root }, type, use) {
  const { mib, command } = MAKE[type];
  const image = join(dir, "disk.img");
  const aside = join(dir, "aside");
  execFileSync("truncate", ["--size", `${mib}M`, image]);
  execFileSync(command[0], [...command.slice(1), image]);
  renameSync(root, aside);
  mkdirSync(root);
  const mount = () => execFileSync("mount", ["-o", "loop", image, root]);
  mount();
  try {
    cpSync(aside, root, { recursive: true });
    execFileSync("sync", ["--file-system", root]);
    return await use({
      cutPower: () => execFileSync("xfs_io", ["-x", "-c", "shutdown", root]),
      restart: () => {
        execFileSync("umount", [root]);
        mount();
      },
    });
  } finally {
    execFileSync("umount", ["--lazy", root]);
    rmSync(root, { recursive: true, force: true });
    renameSync(aside, root);
  }
}
