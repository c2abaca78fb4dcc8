/** Faults at the n-th system call, by strace. It counts the calls of each kind for each thread of a process by
 *  itself; with one thread for files (`command.mjs`) that is the main one, save for flushes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMAND, runProgram } from "./command.mjs";

/** Calls after which something on the disk is another. */
const CHANGING =
  "write,writev,pwrite64,pwritev,fsync,fdatasync,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir,ftruncate,fallocate,chmod,fchmod,chown,fchown,utimensat,copy_file_range";
/** Calls that only look, lock or let go. */
const LOOKING =
  "open,openat,close,read,readv,pread64,stat,statx,lstat,fstat,newfstatat,access,faccessat,faccessat2,readlink,getdents64,fcntl,flock";

/** Whether a call alters the disk, or may do so when it opens. */
export const isChanging = ({ call }) => CHANGING.split(",").includes(call) || call === "openat";

/** Every file-system call that a command makes on its storage root, or on another folder: `{ call, n }`, n
 *  counted from 1 among all calls of that kind, in the order in which they come. */
export async function recordCalls(scene, args, { on = scene.root } = {}) {
  const trace = join(scene.dir, "calls");
  const ran = await traced(scene, args, ["--seccomp-bpf", "-y", "-s", "0", "-o", trace]);
  if (ran.code !== 0) throw new Error(`${args.join(" ")}: exit ${ran.code}: ${ran.stderr}`);
  const counts = new Map();
  const found = new Map();
  for (const line of readFileSync(trace, "utf8").split("\n")) {
    const [, thread, call] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    if (call === undefined) continue;
    const n = (counts.get(`${thread} ${call}`) ?? 0) + 1;
    counts.set(`${thread} ${call}`, n);
    // Two threads may have an n-th call: whichever comes first is hit.
    if (line.includes(on)) found.set(`${call} ${n}`, { call, n });
  }
  return [...found.values()];
}

/** Runs a command and has its n-th call meet a fault: `signal=KILL`, `error=EIO`, `retval=1`. `hit`: that call
 *  was one on the storage root, or on the folder. It need not be: what a process does beside its work is not always the same,
 *  and shifts the count. */
export async function withFault(scene, args, { call, n, fault, env, on = scene.root }) {
  const trace = join(scene.dir, "fault");
  const inject = `inject=${call}:${fault}:when=${n}`;
  // Stopping at every call is slow; stopping at those of a filter alone injects no signals (strace 6.1).
  const filter = fault.startsWith("signal=") ? [] : ["--seccomp-bpf"];
  const ran = await traced(
    scene,
    args,
    [...filter, "-y", "-s", "0", "-o", trace, "-e", inject],
    env,
  );
  const lines = readFileSync(trace, "utf8").split("\n");
  // Each thread of the process has its own n-th call, and the fault meets them all.
  const met = lines.filter((line) => line.includes("(INJECTED)"));
  const hit = met.length > 0 && met.every((line) => line.includes(on));
  const killed = lines.some((line) => line.includes("+++ killed by SIGKILL"));
  return { ...ran, hit: hit || killed };
}

function traced({ root, work }, args, options, env) {
  const all = `trace=${CHANGING},${LOOKING}`;
  return runProgram(
    "strace",
    ["-f", "-qq", "-e", all, ...options, process.execPath, COMMAND, "--json", ...args],
    { root, cwd: work, env },
  );
}
