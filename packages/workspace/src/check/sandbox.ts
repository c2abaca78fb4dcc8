/** Keeps a run to itself: no network, processes that end with it, nothing writable but its own folder. By programs that
 *  are kept by others (bubblewrap, `unshare` of util-linux), as far as this machine has them and lets them work. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { CheckIsolation } from "@uncaged/workflow-protocol";
import { programPath } from "@uncaged/workflow-util";

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
      NAMES.bubblewrap,
      ...["--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc"],
      ...(network ? [] : ["--unshare-net"]),
      ...["--cap-drop", "ALL", ...(process.getuid?.() === 0 ? OF_ROOT : [])],
      ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
      ...[...SHARED_TMP, ...hidden].flatMap((path) => ["--tmpfs", path]),
      ...visible.filter(isInside).flatMap((path) => ["--ro-bind-try", path, path]),
      ...["--bind", folder, folder, "--chdir", cwd, "--", ...command],
    ];
  },
};

/** What programs expect of root, and does not undo a mount or reach outside of the namespaces. Others cannot be given any. */
const OF_ROOT = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID"]
  .concat("NET_BIND_SERVICE")
  .flatMap((name) => ["--cap-add", `CAP_${name}`]);

/** A new network has not even a loopback until it is switched on. */
const LOOPBACK_ON = 'ip link set lo up || exit 127; "$@"; exit $?';

const unshare: Sandbox = {
  by: "unshare",
  wrap: (command, { network }) => [
    NAMES.unshare,
    ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"]),
    ...["--pid", "--fork", "--kill-child", "--mount-proc"],
    ...(network ? ["--", ...command] : ["--net", "--", "sh", "-c", LOOPBACK_ON, "sh", ...command]),
  ],
};

const none: Sandbox = { by: "none", wrap: (command) => [...command] };

let found: Promise<Sandbox> | undefined;

/** The first that works here; asked once per process, and again when a machine was too busy to say. */
export function findSandbox(): Promise<Sandbox> {
  found ??= firstThatWorks(startsWith).then(async ({ sandbox, isSure }) => {
    if (!isSure) found = undefined;
    return startedByPath(sandbox);
  });
  return found;
}

/** A check has another `PATH` than the engine. */
async function startedByPath({ by, wrap }: Sandbox): Promise<Sandbox> {
  const program = by === "none" ? null : await programPath(NAMES[by], process.env.PATH);
  if (program === null) return { by, wrap };
  return { by, wrap: (...about) => [program, ...wrap(...about).slice(1)] };
}

const NAMES = { bubblewrap: "bwrap", unshare: "unshare" } as const;

/** `late`: it did not end in time, which says nothing. */
export type Tried = "works" | "fails" | "late";

/** Each that is late is tried a second time, with more time. `isSure`: none that comes before it was late in the end. */
export async function firstThatWorks(
  tries: (sandbox: Sandbox, withinMs: number) => Promise<Tried>,
): Promise<{ sandbox: Sandbox; isSure: boolean }> {
  let isSure = true;
  for (const sandbox of process.platform === "linux" ? [bubblewrap, unshare] : []) {
    let tried: Tried = "late";
    for (const withinMs of [10_000, 30_000])
      if (tried === "late") tried = await tries(sandbox, withinMs);
    if (tried === "works") return { sandbox, isSure };
    isSure &&= tried === "fails";
  }
  return { sandbox: none, isSure };
}

async function startsWith(sandbox: Sandbox, withinMs: number): Promise<Tried> {
  const place = { folder: "/dev/shm", cwd: "/", hidden: [], kept: [], network: false };
  const [program = "", ...args] = sandbox.wrap(["true"], place);
  const { execa } = await import("execa");
  // Nothing of ours is its business.
  const env = { PATH: process.env.PATH ?? "" };
  const { exitCode, timedOut } = await execa(program, args, {
    ...{ env, extendEnv: false, reject: false, timeout: withinMs, cleanup: true },
  });
  if (timedOut) return "late";
  return exitCode === 0 ? "works" : "fails";
}
