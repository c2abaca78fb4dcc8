import type { ServerFacts } from "@uncaged/workflow-store-postgres";
import { askBucket } from "./bucket.ts";
import { postgres, sharedRoot } from "./open-parts.ts";
import { type RootPlace, readRootPlace } from "./root-place.ts";

/** `leastMajor`: of PostgreSQL. */
export type ServerReport = ServerFacts & { place: RootPlace; leastMajor: number };

/** Asks the server of a shared root, and its bucket. null: the root is in its folder. Throws `STORAGE_FAILED`,
 *  `STORAGE_NEWER` or `CONFIG_INVALID`. */
export async function serverReport(root: string): Promise<ServerReport | null> {
  const place = readRootPlace(root);
  const shared = await sharedRoot(root);
  if (place === null || shared === null) return null;
  const { LEAST_MAJOR, openDatabase, serverFacts } = await postgres();
  const database = await openDatabase(shared);
  try {
    const facts = await serverFacts(database);
    await askBucket(place);
    return { ...facts, place, leastMajor: LEAST_MAJOR };
  } finally {
    await database.close();
  }
}
