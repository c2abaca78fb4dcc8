/** Where the truth of a storage root is when it is not in its folder. The folder keeps what belongs to this machine:
 *  configuration, keys, agents, caches, logs. */
import { rm } from "node:fs/promises";
import {
  err,
  type Failure,
  failure,
  ok,
  parseJson,
  type Result,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import {
  readRegularFileSync,
  storagePaths,
  syncFolder,
  writeFileAtomic,
} from "@uncaged/workflow-util";
import { movedFailure, readMoveMark } from "./move-mark.ts";

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

/** null: all of the root is in its folder. Throws `STORAGE_FAILED` or `CONFIG_INVALID`, and `STORAGE_MOVED` when the folder
 *  has what is left of a root that was moved, or not all of one yet. */
export function readRootPlace(root: string): RootPlace | null {
  const place = placeIn(root);
  const mark = place === null ? readMoveMark(root) : null;
  if (mark !== null) throw new WorkflowError(movedFailure(root, mark));
  return place;
}

/** The same, for whoever moves the root. */
export function placeIn(root: string): RootPlace | null {
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

/** What the folder says from now on; null: all of the root is in it. One write, or none. Throws `STORAGE_FAILED`. */
export async function replaceRootPlace(root: string, place: RootPlace | null): Promise<void> {
  const { place: path } = storagePaths(root);
  if (place === null) {
    await rm(path, { force: true });
    await syncFolder(root);
  } else await writeFileAtomic({ path, data: textOf(place), mode: 0o600, existing: "replace" });
}

/** Mode 0600: a URL may have a password. `TARGET_EXISTS` when the folder says already where its root is. Throws
 *  `STORAGE_FAILED`. */
export async function writeRootPlace(
  root: string,
  place: RootPlace,
): Promise<Result<null, Failure>> {
  const { place: path } = storagePaths(root);
  const outcome = await writeFileAtomic({
    path,
    data: textOf(place),
    mode: 0o600,
    existing: "keep",
  });
  if (outcome === "written") return ok(null);
  const words = `${path} says already where this storage root is`;
  return err(failure("TARGET_EXISTS", words, "delete it first, if this root is to be elsewhere"));
}

function textOf(place: RootPlace): string {
  return `${JSON.stringify(place, null, 2)}\n`;
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
