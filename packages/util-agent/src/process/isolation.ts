/** Keeps an agent's program to itself (`config.isolation: sandbox`): it sees no processes but its own, and of the engine's
 *  storage root only its own home and its working directory.
 *
 *  1. By programs that are kept by others: bubblewrap, or else `unshare`, `mount` of util-linux.
 *  2. What is kept is opened before the root is covered, and put back from there. Then the program gets a user namespace
 *     of its own, so that it cannot uncover anything, not even as root.
 *  3. Where neither works, the program is not started, unless a sandbox was only preferred (`auto`). Then it has none
 *     either where it could not do its work in one. */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import {
  agentError,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type StepScope,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import { isWithin, programPath, readRegularFileSync } from "@uncaged/workflow-util";
import { throughGate } from "./lend-model.ts";

/** What a program is kept to. Absolute paths, links resolved. */
export type Isolation = {
  /** The storage root: covered. */
  root: string;
  /** Folders in it that stay writable. They exist. */
  kept: readonly string[];
  /** No network but a loopback of its own. */
  offline: boolean;
  /** The socket of the proxy that is its only way out (`lendModel`). Null or left out: there is none. */
  gate?: string | null | undefined;
};

type Way = {
  by: "bubblewrap" | "unshare";
  wrap(command: readonly string[], isolation: Isolation, cwd: string): string[];
};

/** The runtime of a step once `auto` is decided. `writable`: folders that the agent is configured to write to. `offline`: its
 *  programs have to be kept from the network, for which there must be a sandbox: otherwise it rejects (`crashed`). `note`:
 *  for the step, when it has no sandbox. */
export async function withIsolation(
  runtime: WorkflowRuntime,
  {
    writable = [],
    offline = false,
  }: { writable?: readonly string[] | undefined; offline?: boolean } = {},
): Promise<{ runtime: WorkflowRuntime; note: string | null }> {
  const { isolation, ...step } = runtime.step;
  const demand = (why: string): void => {
    if (offline) throw notOffline(step.role, why);
  };
  if (step.storageRoot == null) demand("it is not known what to keep it from");
  if (isolation === undefined) demand("config.isolation is none");
  if (isolation !== "auto") return { runtime, note: null };
  const { storageRoot: root } = step;
  const why =
    root != null && writable.some((folder) => isWithin(folder, root))
      ? "it is configured to write to the storage root"
      : isOfAnother(step.cwd)
        ? "root could not write there to the files of another user, who owns the folder"
        : (await isolatedBy()) === null
          ? "neither bubblewrap nor unshare works here"
          : null;
  if (why === null)
    return { runtime: { ...runtime, step: { ...step, isolation: "sandbox" } }, note: null };
  demand(why);
  return { runtime: { ...runtime, step }, note: `in no sandbox: ${why}` };
}

function notOffline(role: string, why: string): Error {
  return agentError("crashed", {
    message: `role ${role} has \`tools.network: false\`, which takes a sandbox, and there is none: ${why}`,
    hint: "set config.isolation to auto on a machine with bubblewrap or unshare, or bind the role to another agent",
    run: null,
  });
}

/** In a sandbox root has no rights over the files of others, such as a repository that a container was lent. */
function isOfAnother(folder: string): boolean {
  if (process.getuid?.() !== 0) return false;
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid ?? 0;
  return owner !== 0;
}

/** Null: not asked for. The home exists afterwards. */
export function isolationOf({
  isolation,
  storageRoot,
  home,
  scratch,
  cwd,
  offline,
  gate = null,
}: {
  isolation?: StepScope["isolation"];
  storageRoot?: string | null | undefined;
  home: string;
  scratch?: string | undefined;
  cwd: string;
  offline: boolean;
  gate?: string | null;
}): Isolation | null {
  if (isolation !== "sandbox" || storageRoot == null) return null;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  // Programs of agents that were added to this root.
  const programs = join(storageRoot, "node_modules");
  const own = scratch === undefined ? [home] : [home, scratch];
  const named = [...own, cwd, ...workTreeIn(storageRoot, cwd), programs];
  const kept = named.filter((folder) => folder.startsWith(storageRoot + sep) && existsSync(folder));
  return { root: storageRoot, kept: [...new Set(kept)], offline, gate };
}

/** The git work tree of a folder in the storage root, and its repository if the engine keeps that in the root, too: of a
 *  thread that came from another machine, or was imported. An agent can change which repository its work tree names, and so
 *  reach another one of these: as it can reach every repository outside of the root. */
function workTreeIn(root: string, cwd: string): string[] {
  for (let folder = cwd; folder.startsWith(root + sep); folder = dirname(folder)) {
    const entry = join(folder, ".git");
    if (!existsSync(entry)) continue;
    const read = readRegularFileSync(entry, WORKTREE_FILE_BYTES);
    const text = read.ok ? read.value.bytes.toString("utf8") : "";
    const [, gitDir = ""] = /^gitdir: (.+)\n?$/.exec(text) ?? [];
    const [, repository] = KEPT_REPOSITORY.exec(relative(root, gitDir)) ?? [];
    return repository === undefined ? [folder] : [folder, join(root, repository)];
  }
  return [];
}

const WORKTREE_FILE_BYTES = 8_192;
/** `StoragePaths.clone` and `importedRepository`, and in there what git has of a worktree. */
const KEPT_REPOSITORY =
  /^(repositories\/[0-9a-f]{16}\.git|workspaces\/[0-9A-Z]{26}\.git)\/worktrees\/[^/]+$/;

/** What isolates programs here; null: nothing does. Asked once per process. */
export async function isolatedBy(): Promise<Way["by"] | null> {
  return (await findWay())?.by ?? null;
}

/** The command as it is to be started. An error (`AGENT_FAILED`): nothing here can isolate it. */
export async function isolated(
  command: readonly string[],
  isolation: Isolation,
  cwd: string,
): Promise<Result<string[], Failure>> {
  const way = await findWay();
  const { gate } = isolation;
  const started = gate == null ? command : throughGate(command, gate);
  if (way !== null) return ok(way.wrap(started, isolation, cwd));
  return err(
    failure(
      "AGENT_FAILED",
      `${command[0]} is not started: config.isolation asks for a sandbox, and neither bubblewrap nor unshare works here`,
      "install bubblewrap, or allow user namespaces; or set config.isolation to none",
    ),
  );
}

const bubblewrap: Way = {
  by: "bubblewrap",
  wrap: (command, { root, kept, offline }, cwd) => [
    ...["bwrap", "--die-with-parent", "--unshare-pid", ...(offline ? ["--unshare-net"] : [])],
    // Root keeps its capabilities otherwise, and uncovers the root again.
    ...["--cap-drop", "ALL", "--dev-bind", "/", "/", "--proc", "/proc"],
    ...["--tmpfs", root, ...kept.flatMap((folder) => ["--bind", folder, folder])],
    ...["--remount-ro", root, "--chdir", cwd, "--", ...command],
  ],
};

/** Arguments: user, group, directory, root, number of folders, the folders, the command. A shell stays the first process:
 *  as that one, the program would ignore signals. */
const COVER = `u=$1 g=$2 c=$3 r=$4 n=$5; shift 5
fd=3 i=0
for each; do [ $i -lt $n ] || break; eval "exec $fd<\\"\\$each\\"" || exit 126; fd=$((fd+1)) i=$((i+1)); done
mount -t tmpfs -o mode=0755,size=1m none "$r" || exit 126
fd=3
while [ $n -gt 0 ]; do
  mkdir -p "$1" && mount -c --bind /proc/self/fd/$fd "$1" || exit 126
  eval "exec $fd<&-"; fd=$((fd+1)) n=$((n-1)); shift
done
mount -o remount,bind,ro "$r" || exit 126
cd "$c" || exit 126
unshare --user --map-user="$u" --map-group="$g" -- "$@"
exit $?`;

/** A new network has not even a loopback until it is switched on. */
const LOOPBACK_ON = "ip link set lo up || exit 126";

const unshare: Way = {
  by: "unshare",
  wrap(command, { root, kept, offline }, cwd) {
    const [user = 0, group = 0] = [process.getuid?.(), process.getgid?.()];
    const script = offline ? `${LOOPBACK_ON}\n${COVER}` : COVER;
    return [
      ...["unshare", ...(user === 0 ? [] : ["--user", "--map-root-user"])],
      ...["--pid", "--mount", ...(offline ? ["--net"] : []), "--fork", "--kill-child"],
      ...["--mount-proc", "--", "sh", "-c", script],
      ...["sh", `${user}`, `${group}`, cwd, root, `${kept.length}`, ...kept, ...command],
    ];
  },
};

let found: Promise<Way | null> | undefined;

function findWay(): Promise<Way | null> {
  found ??= firstThatWorks();
  return found;
}

async function firstThatWorks(): Promise<Way | null> {
  if (process.platform !== "linux") return null;
  const { execa } = await import("execa");
  for (const way of [bubblewrap, unshare]) {
    // Covered only for the one that is tried.
    const covered = { root: "/mnt", kept: [], offline: false };
    const [name = "", ...args] = way.wrap(["true"], covered, "/");
    const program = await programPath(name, process.env.PATH);
    if (program === null) continue;
    // Nothing of the engine's is its business.
    const env = { PATH: process.env.PATH ?? "" };
    const tried = await execa(program, args, {
      ...{ env, extendEnv: false, reject: false, timeout: 10_000, cleanup: true },
    });
    if (tried.exitCode === 0) return startedAs(program, way);
  }
  return null;
}

/** A program may have another `PATH` than the engine. */
function startedAs(program: string, { by, wrap }: Way): Way {
  return { by, wrap: (...about) => [program, ...wrap(...about).slice(1)] };
}
