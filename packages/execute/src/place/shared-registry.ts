/** The registry of a root in PostgreSQL. Its operations are few, so each has a connection of its own, and there is nothing
 *  to close. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import {
  err,
  type Failure,
  failureFrom,
  type Result,
  type WorkflowRegistry,
} from "@uncaged/workflow-protocol";
import {
  type BundleFiles,
  bundleFiles,
  type OpenedBundle,
  openBundle,
} from "@uncaged/workflow-register";
import type { Database } from "@uncaged/workflow-store-postgres";
import {
  isErrno,
  makeFolderSync,
  storagePaths,
  syncFolder,
  writeFileAtomic,
} from "@uncaged/workflow-util";
import { postgres, sharedRoot } from "./open-parts.ts";

/** Only for a root that is in PostgreSQL. */
export function sharedRegistry(root: string): WorkflowRegistry {
  const use = <T>(
    call: (registry: WorkflowRegistry, database: Database) => Promise<Result<T, Failure>>,
  ) =>
    orFailure(() =>
      withDatabase(root, async (database) => {
        const { postgresRegistry } = await postgres();
        return call(postgresRegistry(database), database);
      }),
    );
  return {
    workflows: () => use((registry) => registry.workflows()),
    register: (registration) =>
      use(async (registry, database) => {
        const { postgresBundles } = await postgres();
        const { hash, sha256 } = registration.version;
        // A version that is named can be had by every machine.
        await postgresBundles(database).put(sha256, await filesOf(bundleFiles(root, hash)));
        return registry.register(registration);
      }),
    rollback: (request) => use((registry) => registry.rollback(request)),
    remove: (name) => use((registry) => registry.remove(name)),
  };
}

/** A bundle of this root whose bytes match, as `openBundle` returns it. In a root that is in PostgreSQL, one that this
 *  machine does not have yet is fetched first. */
export async function openRootBundle(
  root: string,
  hash: string,
  sha256: string,
): Promise<Result<OpenedBundle, Failure>> {
  const opened = await openBundle(root, hash, sha256);
  if (opened.ok || opened.error.code !== "BUNDLE_MISSING" || sha256 === "") return opened;
  try {
    if ((await sharedRoot(root)) === null) return opened;
    const fetched = await withDatabase(root, async (database) =>
      (await postgres()).postgresBundles(database).get(sha256),
    );
    await keep(root, bundleFiles(root, hash), fetched);
    // Proves the digests of what came.
    return await openBundle(root, hash, sha256);
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

/** The module last, as when it was stored: a folder that has one is complete. */
const partsOf = ({ descriptor, build, manifest, types, yaml, bundle }: BundleFiles): string[] => [
  descriptor,
  build,
  manifest,
  types,
  yaml,
  bundle,
];

/** The files of a stored bundle that are there, by name. */
export async function filesOf(files: BundleFiles): Promise<{ name: string; bytes: Buffer }[]> {
  const read = await Promise.all(
    partsOf(files).map(async (path) => {
      try {
        return [{ name: basename(path), bytes: await readFile(path) }];
      } catch (cause) {
        if (isErrno(cause, "ENOENT")) return [];
        throw cause;
      }
    }),
  );
  return read.flat();
}

/** Stores the files of a bundle in the folder of a root. */
export async function keep(
  root: string,
  files: BundleFiles,
  fetched: readonly { name: string; bytes: Uint8Array }[],
): Promise<void> {
  if (fetched.length === 0) return;
  makeFolderSync(storagePaths(root).bundles);
  makeFolderSync(files.folder);
  for (const path of partsOf(files)) {
    // Only names that bundles have become paths.
    const file = fetched.find(({ name }) => name === basename(path));
    if (file === undefined) continue;
    await writeFileAtomic({ path, data: file.bytes, mode: 0o600, existing: "replace" });
  }
  await syncFolder(storagePaths(root).bundles);
}

async function withDatabase<T>(root: string, use: (database: Database) => Promise<T>): Promise<T> {
  const shared = await sharedRoot(root);
  if (shared === null) throw new Error(`${root} is not in PostgreSQL`);
  const { openDatabase } = await postgres();
  const database = await openDatabase(shared);
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

async function orFailure<T>(body: () => Promise<Result<T, Failure>>): Promise<Result<T, Failure>> {
  try {
    return await body();
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}
