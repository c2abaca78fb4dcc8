/** The parts of a storage root, from where it is: in its folder, or in PostgreSQL. What talks to a server is loaded only
 *  by roots that have one. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type {
  LiveLog,
  Schedules,
  TaskStore,
  ThreadStore,
  Triggers,
} from "@uncaged/workflow-protocol";
import { fileLiveLog, type Index, type LostIndex } from "@uncaged/workflow-store";
import { ownIdentity, storagePaths } from "@uncaged/workflow-util";
import { type RootPlace, readRootPlace } from "./root-place.ts";

/** Throws `STORAGE_FAILED`, `STORAGE_DAMAGED`, `STORAGE_NEWER` or `CONFIG_INVALID`, like everything here. */
export async function openIndex(root: string, lost: LostIndex = "refused"): Promise<Index> {
  const shared = await sharedRoot(root);
  if (shared !== null) return (await postgres()).openPostgresIndex(shared);
  return (await import("./sqlite-parts.ts")).openIndex(root, lost);
}

export async function openThreads(root: string): Promise<ThreadStore> {
  return (await openIndex(root)).threads;
}

export async function openSchedules(root: string): Promise<Schedules> {
  const shared = await sharedRoot(root);
  if (shared !== null) return (await postgres()).openPostgresSchedules(shared);
  return (await import("./sqlite-parts.ts")).openSchedules(root);
}

export async function openTasks(root: string): Promise<TaskStore> {
  const shared = await sharedRoot(root);
  if (shared !== null) return (await postgres()).openPostgresTasks(shared);
  return (await import("./sqlite-parts.ts")).openTasks(root);
}

export async function openTriggers(root: string): Promise<Triggers> {
  const shared = await sharedRoot(root);
  if (shared !== null) return (await postgres()).openPostgresTriggers(shared);
  return (await import("./sqlite-parts.ts")).openTriggers(root);
}

/** Where a root is in its folder, what its agents say is in files there. */
export async function openLiveLog(root: string): Promise<LiveLog> {
  const shared = await sharedRoot(root);
  if (shared === null) {
    const folder = storagePaths(root).liveFolder;
    return fileLiveLog({ folder, boot: () => ownIdentity().bootId });
  }
  const { openDatabase, postgresLiveLog } = await postgres();
  const database = await openDatabase(shared);
  const log = postgresLiveLog(database, shared);
  const close = async (): Promise<void> => {
    await log.close();
    await database.close();
  };
  return { ...log, close };
}

/** How the server is reached, and which root it is there. */
export type SharedRoot = { url: string; root: string };

/** null: the root is in its folder. A server of this machine is started if it does not run. */
export async function sharedRoot(root: string): Promise<SharedRoot | null> {
  const place = readRootPlace(root);
  return place === null ? null : { url: await urlOf(root, place), root: place.name };
}

/** The URL of a root's server, which is started if it is one of this machine and does not run. */
export async function urlOf(root: string, { postgres: at }: RootPlace): Promise<string> {
  if (at.kind === "url") return at.url;
  const { startEmbeddedServer } = await postgres();
  return (await startEmbeddedServer(embeddedPlace(root, at.folder))).url;
}

/** The package with the server may be beside this program, or installed in the storage root. */
export function embeddedPlace(root: string, folder: string): { folder: string; from: string[] } {
  return { folder, from: [pathToFileURL(join(root, "package.json")).href] };
}

export function postgres(): Promise<typeof import("@uncaged/workflow-store-postgres")> {
  return import("@uncaged/workflow-store-postgres");
}
