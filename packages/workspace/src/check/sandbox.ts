/** Keeps a run to itself: no network, processes that end with it, nothing writable but its own folder. By programs that
 *  are kept by others (bubblewrap, `unshare` of util-linux), as far as this machine has them and lets them work. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { CheckIsolation } from "@uncaged/workflow-protocol";
import { execa } from "execa";

export type Sandbox = {
  by: CheckIsolation["by"];
  /** The command as it is to be started. */
  wrap(command: readonly string[], place: SandboxPlace): string[];
};

type SandboxPlace = {
  /** Writable. */
  folder: string;
  cwd: string;
  /** Not visible. */
  hidden: readonly string[];
  /** Visible although below something hidden, and read-only. */
  kept: readonly string[];
  network: boolean;
};

/** Where programs put things although `TMPDIR` says otherwise. */
const SHARED_TMP = ["/tmp", "/var/tmp"].filter((path) => existsSync(path));

const bubblewrap: Sandbox = {
  by: "bubblewrap",
  wrap(command, { folder, cwd, hidden, kept, network }) {
    const visible = [dirname(dirname(process.execPath)), ...kept];
    const isInside = (path: string): boolean =>
      [...SHARED_TMP, ...hidden].some((each) => path === each || path.startsWith(`${each}/`));
    return [
      "bwrap",
      ...["--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc"],
      ...(network ? [] : ["--unshare-net"]),
      ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
      ...[...SHARED_TMP, ...hidden].flatMap((path) => ["--tmpfs", path]),
      ...visible.filter(isInside).flatMap((path) => ["--ro-bind-try", path, path]),
      ...["--bind", folder, folder, "--chdir", cwd, "--", ...command],
    ];
  },
};

/** A new network has not even a loopback until it is switched on. */
const LOOPBACK_ON = 'ip link set lo up || exit 127; "$@"; exit $?';

const unshare: Sandbox = {
  by: "unshare",
  wrap: (command, { network }) => [
    "unshare",
    ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"]),
    ...["--pid", "--fork", "--kill-child", "--mount-proc"],
    ...(network ? ["--", ...command] : ["--net", "--", "sh", "-c", LOOPBACK_ON, "sh", ...command]),
  ],
};

const none: Sandbox = { by: "none", wrap: (command) => [...command] };

let found: Promise<Sandbox> | undefined;

/** The first that works here; asked once per process. */
export function findSandbox(): Promise<Sandbox> {
  found ??= firstThatWorks();
  return found;
}

async function firstThatWorks(): Promise<Sandbox> {
  if (process.platform !== "linux") return none;
  for (const sandbox of [bubblewrap, unshare]) {
    const place = { folder: "/", cwd: "/", hidden: [], kept: [], network: false };
    const [program = "", ...args] = sandbox.wrap(["true"], { ...place, folder: "/dev/shm" });
    const tried = await execa(program, args, { reject: false, timeout: 10_000, cleanup: true });
    if (tried.exitCode === 0) return sandbox;
  }
  return none;
}
