import type { Failure } from "./failure.ts";
import type { Result } from "./result.ts";

/** One registered build of a workflow. */
export type BundleVersion = {
  hash: string;
  /** SHA-256 (hex) of the bundle file, checked before every run. */
  sha256: string;
  /** When it was added, Unix milliseconds. */
  timestamp: number;
};

/** The version that runs, and those that ran before it, newest first. */
export type RegistryEntry = BundleVersion & { history: readonly BundleVersion[] };

/** `notes`: for people, about what else was done. */
export type RegistryChange<T> = Promise<Result<T & { notes: string[] }, Failure>>;

/** Which bundle each workflow name refers to.
 *
 *  1. Each operation reads and writes at once: of several processes, none loses another's change.
 *  2. A crash leaves the registry as it was or as it was to become.
 *  3. A change that changes nothing succeeds. A refused one changes nothing.
 *
 *  It does not know bundles: a version's bundle is stored before it is registered. */
export type WorkflowRegistry = {
  /** All names. */
  workflows(): Promise<Result<ReadonlyMap<string, RegistryEntry>, Failure>>;
  /** Puts a version on top of a name; the previous one becomes the newest of its history. Returns the hash that was
   *  on top before. With `onTopOf`, only if the name points to that version: `CHANGED_MEANWHILE`. */
  register(registration: {
    name: string;
    version: BundleVersion;
    onTopOf?: string;
  }): RegistryChange<{ previous: string | null }>;
  /** Restores an earlier version: the newest of the history, or the newest one with `hash`. It trades places with the
   *  current one, so nothing is forgotten and rolling back twice undoes it. `WORKFLOW_NOT_FOUND`,
   *  `WORKFLOW_NO_VERSION`. */
  rollback(request: {
    name: string;
    hash: string | null;
  }): RegistryChange<{ hash: string; previous: string }>;
  /** Forgets a name and its history, which it returns. `WORKFLOW_NOT_FOUND`. */
  remove(name: string): RegistryChange<{ entry: RegistryEntry }>;
};
