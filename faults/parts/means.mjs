/** What the faults are made with. */
import { spawnSync } from "node:child_process";

const PROGRAMS = {
  strace: "strace",
  prlimit: "util-linux",
  ip: "iproute2",
  mount: "mount",
  "mkfs.ext4": "e2fsprogs",
  "mkfs.xfs": "xfsprogs",
  xfs_io: "xfsprogs",
  unshare: "util-linux",
};

/** A sentence for each thing that this machine lacks. */
export function missingMeans() {
  if (process.platform !== "linux")
    return ["faults: Linux only: they are made by strace and by mounts"];
  const lacking = Object.entries(PROGRAMS).filter(([program]) => !isThere(program));
  return [
    ...(process.getuid() === 0 ? [] : ["faults: root is needed, for file systems of their own"]),
    ...lacking.map(([program, from]) => `faults: ${program} is missing: apt-get install ${from}`),
  ];
}

const isThere = (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
