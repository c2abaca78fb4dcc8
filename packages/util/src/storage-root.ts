import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { failure, isHash, isThreadId, WorkflowError } from "@uncaged/workflow-protocol";

/** The folder that holds everything of one user or project; absolute. An empty variable counts as unset. */
export function storageRoot(env: StorageRootEnv, home: string = homedir()): string {
  const chosen = env.UNCAGED_WORKFLOW_STORAGE_ROOT || env.WORKFLOW_STORAGE_ROOT;
  return chosen ? resolve(chosen) : join(home, ".uncaged", "workflow");
}

/** The part of the environment that determines the storage root. */
export type StorageRootEnv = {
  readonly UNCAGED_WORKFLOW_STORAGE_ROOT?: string | undefined;
  readonly WORKFLOW_STORAGE_ROOT?: string | undefined;
};

/** The paths inside a storage root. Those built from an id refuse a malformed one with `USAGE`, so that no outside
 *  text ever becomes a path. */
export type StoragePaths = {
  readonly root: string;
  /** `workflow.yaml`: registry and configuration, mode 0600. */
  readonly registry: string;
  /** `.env`: values for `$NAME` in the configuration, mode 0600. */
  readonly keyFile: string;
  /** `root.json`: where the root is, when it is not in this folder; mode 0600. */
  readonly place: string;
  /** `move.json`: the root is being moved to this folder, or was moved elsewhere; mode 0600. */
  readonly moveMark: string;
  /** `machine.json`: names this folder, in a root that machines share. */
  readonly machine: string;
  /** Held while the registry is being changed. */
  readonly registryLock: string;
  /** `index.db`, SQLite: heads, statuses, leases, signals. */
  readonly index: string;
  /** Folder of blobs. */
  readonly cas: string;
  /** Held while blobs are being deleted, and while a backup reads them. */
  readonly casLock: string;
  /** Folder in which a backup copies the index. */
  readonly snapshot: string;
  /** Folder with one folder per bundle. */
  readonly bundles: string;
  readonly logs: string;
  /** Names the running host, mode 0600. */
  readonly host: string;
  /** Held by the host as long as it runs. */
  readonly hostLock: string;
  /** What the host listens on, unless the path is too long for a socket. */
  readonly hostSocket: string;
  /** Folder of packages installed from npm: adapters, and whatever bundles leave external. */
  readonly packages: string;
  /** Held while packages are being installed. */
  readonly packagesLock: string;
  /** Folder of the agents' private homes. */
  readonly agents: string;
  /** Folder of what is kept per work tree of a git repository. */
  readonly workspaces: string;
  bundle(hash: string): string;
  /** Folder of a bundle's finished threads, one file per day. */
  history(hash: string): string;
  /** Debug log of a thread. */
  debugLog(threadId: string): string;
  /** Folder of what a thread's agents say and do, for people watching. */
  liveFolder(threadId: string): string;
  /** What a thread's background runner printed. */
  runnerLog(threadId: string): string;
  /** Private configuration and sessions of a thread's agents, one folder per role. */
  agentHomes(threadId: string): string;
  /** What is known of a git worktree that was made for a thread; `member`: for this member of a group, `3.0`. */
  threadWorktree(threadId: string, member: string | null): string;
  /** Where the files of an imported thread's steps are. */
  importedFiles(threadId: string): string;
  /** Bare git repository with the files of an imported thread's steps. */
  importedRepository(threadId: string): string;
  /** Bare git repository of threads that came from another machine, by the SHA-256 (hex) of its remote's URL. */
  clone(urlSha256: string): string;
  /** Every file, besides the live folder, that is removed with a thread. */
  threadLogs(threadId: string): string[];
};

export function storagePaths(root: string): StoragePaths {
  const bundles = join(root, "bundles");
  const logs = join(root, "logs");
  const bundle = (hash: string): string => join(bundles, checkedHash(hash));
  const log = (threadId: string, ending: string): string =>
    join(logs, `${checkedThreadId(threadId)}.${ending}`);
  return {
    root,
    registry: join(root, "workflow.yaml"),
    keyFile: join(root, ".env"),
    place: join(root, "root.json"),
    moveMark: join(root, "move.json"),
    machine: join(root, "machine.json"),
    registryLock: join(root, "registry.lock"),
    index: join(root, "index.db"),
    cas: join(root, "cas"),
    casLock: join(root, "cas.lock"),
    snapshot: join(root, ".backup"),
    bundles,
    logs,
    host: join(root, "host.json"),
    hostLock: join(root, "host.lock"),
    hostSocket: join(root, "host.sock"),
    packages: join(root, "node_modules"),
    packagesLock: join(root, "packages.lock"),
    agents: join(root, "agents"),
    workspaces: join(root, "workspaces"),
    bundle,
    history: (hash) => join(bundle(hash), "history"),
    debugLog: (threadId) => log(threadId, LOG.debug),
    liveFolder: (threadId) => log(threadId, "live"),
    runnerLog: (threadId) => log(threadId, LOG.runner),
    agentHomes: (threadId) => join(root, "agents", checkedThreadId(threadId)),
    threadWorktree: (threadId, member) => {
      const name = member === null ? "" : `.${member}`;
      return join(root, "workspaces", `${checkedThreadId(threadId)}${name}.json`);
    },
    importedFiles: (threadId) => join(root, "workspaces", `${checkedThreadId(threadId)}.imported`),
    importedRepository: (threadId) => join(root, "workspaces", `${checkedThreadId(threadId)}.git`),
    clone: (urlSha256) => join(root, "repositories", `${urlSha256.slice(0, 16)}.git`),
    threadLogs: (threadId) => Object.values(LOG).map((ending) => log(threadId, ending)),
  };
}

const LOG = {
  debug: "info.jsonl",
  runner: "runner.log",
  /** Live output, as earlier versions stored it. */
  formerLive: "live.jsonl",
  formerEarlierLive: "live.1.jsonl",
} as const;

function checkedHash(hash: string): string {
  if (isHash(hash)) return hash;
  throw malformed(hash, "hash", "a hash has 13 characters of Crockford base32");
}

function checkedThreadId(threadId: string): string {
  if (isThreadId(threadId)) return threadId;
  throw malformed(threadId, "thread id", "a thread id has 26 characters of Crockford base32");
}

function malformed(id: string, kind: string, hint: string): WorkflowError {
  return new WorkflowError(failure("USAGE", `${JSON.stringify(id)} is not a ${kind}`, hint));
}
