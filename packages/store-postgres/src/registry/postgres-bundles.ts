import type { Database } from "../database/database.ts";
import { bytesIn, textIn } from "../database/fields.ts";

/** A file of a stored bundle, by its name in the bundle's folder. */
export type BundleFile = { name: string; bytes: Uint8Array };

/** The bundles of a root that many machines share, each named by the SHA-256 of its module. What comes from here has to be
 *  checked like any other bundle before it runs. Throws `STORAGE_FAILED`. */
export type SharedBundles = {
  /** Files that are there stay as they are: the module's name is its digest, and the others are checked against it. */
  put(sha256: string, files: readonly BundleFile[]): Promise<void>;
  /** Empty: there is no such bundle. */
  get(sha256: string): Promise<BundleFile[]>;
  /** The SHA-256 of each. */
  list(): Promise<string[]>;
};

export function postgresBundles(database: Database): SharedBundles {
  return {
    async put(sha256, files) {
      for (const { name, bytes } of files)
        await database.query("store a bundle", {
          text: "INSERT INTO bundle_files (sha256, name, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
          values: [sha256, name, bytes],
        });
    },
    async get(sha256) {
      const { rows } = await database.query("read a bundle", {
        text: "SELECT name, bytes FROM bundle_files WHERE sha256 = $1 ORDER BY name",
        values: [sha256],
      });
      return rows.map((row) => ({ name: textIn(row, "name"), bytes: bytesIn(row, "bytes") }));
    },
    async list() {
      const text = "SELECT DISTINCT sha256 FROM bundle_files ORDER BY sha256";
      const { rows } = await database.query("list the bundles", { text });
      return rows.map((row) => textIn(row, "sha256"));
    },
  };
}
