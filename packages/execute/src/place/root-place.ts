/** Where the truth of a storage root is when it is not in its folder. The folder keeps what belongs to this machine:
 *  configuration, keys, agents, caches, logs. */
import {
  err,
  type Failure,
  failure,
  ok,
  parseJson,
  type Result,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { readRegularFileSync, storagePaths, writeFileAtomic } from "@uncaged/workflow-util";

export type RootPlace = {
  postgres:
    | { kind: "url"; url: string }
    /** A server of this machine alone, which is started on demand; the path of its folder. */
    | { kind: "embedded"; folder: string };
  /** Which of the roots there. */
  name: string;
  /** Bucket of the blobs that are too long for a row, as `bucketPlace` takes it; null: they are rows. */
  s3: string | null;
};

const MOST_BYTES = 64 * 1024;

/** null: all of the root is in its folder. Throws `STORAGE_FAILED` or `CONFIG_INVALID`. */
export function readRootPlace(root: string): RootPlace | null {
  const { place: path } = storagePaths(root);
  const read = readRegularFileSync(path, MOST_BYTES);
  if (!read.ok && read.error.absent) return null;
  const place = read.ok ? parsed(read.value.bytes.toString("utf8")) : null;
  if (place !== null) return place;
  // Not taken for a root in its folder: that would begin an empty one beside the true one.
  throw new WorkflowError(
    failure("CONFIG_INVALID", `${path} does not say where this storage root is`, INIT_AGAIN),
  );
}

const INIT_AGAIN =
  "delete the file and write it again: uncaged-workflow root init --postgres <url>";

/** Mode 0600: a URL may have a password. `TARGET_EXISTS` when the folder says already where its root is. Throws
 *  `STORAGE_FAILED`. */
export async function writeRootPlace(
  root: string,
  place: RootPlace,
): Promise<Result<null, Failure>> {
  const { place: path } = storagePaths(root);
  const data = `${JSON.stringify(place, null, 2)}\n`;
  const outcome = await writeFileAtomic({ path, data, mode: 0o600, existing: "keep" });
  if (outcome === "written") return ok(null);
  const words = `${path} says already where this storage root is`;
  return err(failure("TARGET_EXISTS", words, "delete it first, if this root is to be elsewhere"));
}

function parsed(text: string): RootPlace | null {
  const value = parseJson(text);
  const postgres = fieldOf(value, "postgres");
  const name = fieldOf(value, "name");
  const s3 = fieldOf(value, "s3") ?? null;
  if (typeof name !== "string" || (s3 !== null && typeof s3 !== "string")) return null;
  const kind = fieldOf(postgres, "kind");
  const url = fieldOf(postgres, "url");
  const folder = fieldOf(postgres, "folder");
  if (kind === "url" && typeof url === "string") return { postgres: { kind, url }, name, s3 };
  if (kind === "embedded" && typeof folder === "string")
    return { postgres: { kind, folder }, name, s3 };
  return null;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
