import type { ProcessRow, ProcessTable } from "./process-row.ts";

/** macOS and other systems without `/proc`. `ps` shows the environment of the user's own processes only, and start
 *  times to the second. Without `ps` the table is empty. */
export const psTable: ProcessTable = {
  read: (pid) => rows(["-p", String(pid)])[0] ?? null,
  list: () => rows(["-ax"]),
  variable: (name) => {
    const values = new Map<number, string>();
    for (const line of run("ps", ["axeww", "-o", "pid=,command="]).split("\n")) {
      const value = valueIn(line, name);
      if (value !== null) values.set(Number.parseInt(line, 10), value);
    }
    return values;
  },
  // The boot time itself shifts when the clock is set; the session's id does not.
  bootId: () => `${run("sysctl", ["-n", "kern.bootsessionuuid"]).trim() || "unknown"}/none`,
  machine: () =>
    /"IOPlatformUUID" = "([^"]+)"/.exec(
      run("ioreg", ["-rd1", "-c", "IOPlatformExpertDevice"]),
    )?.[1] ?? null,
};

/** Reads one line of `ps -o pid=,ppid=,pgid=,stat=,lstart=`. */
export function parsePsLine(line: string): ProcessRow | null {
  const [, pid, parent, group, state, startedAt] =
    /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/.exec(line) ?? [];
  if (state === undefined || startedAt === undefined) return null;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: 0,
    startedAt,
    defunct: state.startsWith("Z"),
    stopped: state.startsWith("T"),
  };
}

/** `ps` prints the environment after the arguments, so the last mention counts. */
function valueIn(line: string, name: string): string | null {
  const start = line.lastIndexOf(` ${name}=`);
  return start === -1 ? null : (line.slice(start + name.length + 2).split(" ", 1)[0] ?? null);
}

function rows(which: readonly string[]): ProcessRow[] {
  return run("ps", [...which, "-o", "pid=,ppid=,pgid=,stat=,lstart="])
    .split("\n")
    .flatMap((line) => parsePsLine(line) ?? []);
}

/** Loaded lazily: most commands never look at a process. The environment is minimal so that `ps` itself carries no
 *  tag and always prints dates in the same format. */
function run(command: string, args: readonly string[]): string {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const env = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" };
  const done = spawnSync(command, args, { env, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return done.status === 0 ? done.stdout : "";
}
