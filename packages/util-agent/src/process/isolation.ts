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
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type StepScope,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import { isWithin, readRegularFileSync } from "@uncaged/workflow-util";

/** What a program is kept to. Absolute paths, links resolved. */
export type Isolation = {
  /** The storage root: covered. */
  root: string;
  /** Folders in it that stay writable. They exist. */
  kept: readonly string[];
};

type Way = {
  by: "bubblewrap" | "unshare";
  wrap(command: readonly string[], isolation: Isolation, cwd: string): string[];
};

/** The runtime of a step once `auto` is decided. `writable`: folders that the agent is configured to write to. `note`: for
 *  the step, when it has no sandbox. */
export async function withIsolation(
  runtime: WorkflowRuntime,
  writable: readonly string[] = [],
): Promise<{ runtime: WorkflowRuntime; note: string | null }> {
  const { isolation, ...step } = runtime.step;
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
  return { runtime: { ...runtime, step }, note: `in no sandbox: ${why}` };
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
}: {
  isolation?: StepScope["isolation"];
  storageRoot?: string | null | undefined;
  home: string;
  scratch?: string | undefined;
  cwd: string;
}): Isolation | null {
  if (isolation !== "sandbox" || storageRoot == null) return null;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  // Programs of agents that were added to this root.
  const programs = join(storageRoot, "node_modules");
  const own = scratch === undefined ? [home] : [home, scratch];
  const named = [...own, cwd, ...workTreeIn(storageRoot, cwd), programs];
  const kept = named.filter((folder) => folder.startsWith(storageRoot + sep) && existsSync(folder));
  return { root: storageRoot, kept: [...new Set(kept)] };
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
  if (way !== null) return ok(way.wrap(command, isolation, cwd));
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
  wrap: (command, { root, kept }, cwd) => [
    ...["bwrap", "--die-with-parent", "--unshare-pid", "--dev-bind", "/", "/", "--proc", "/proc"],
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

const unshare: Way = {
  by: "unshare",
  wrap(command, { root, kept }, cwd) {
    const [user = 0, group = 0] = [process.getuid?.(), process.getgid?.()];
    return [
      ...["unshare", ...(user === 0 ? [] : ["--user", "--map-root-user"])],
      ...["--pid", "--mount", "--fork", "--kill-child", "--mount-proc", "--", "sh", "-c", COVER],
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
    const [program = "", ...args] = way.wrap(["true"], { root: "/mnt", kept: [] }, "/");
    // Nothing of the engine's is its business.
    const env = { PATH: process.env.PATH ?? "" };
    const tried = await execa(program, args, {
      ...{ env, extendEnv: false, reject: false, timeout: 10_000, cleanup: true },
    });
    if (tried.exitCode === 0) return way;
  }
  return null;
}
