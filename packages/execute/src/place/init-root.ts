/** Makes a storage root whose truth is in PostgreSQL. */
import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { makeFolderSync, storagePaths } from "@uncaged/workflow-util";
import { askBucket } from "./bucket.ts";
import { embeddedPlace, postgres } from "./open-parts.ts";
import { type RootPlace, readRootPlace, writeRootPlace } from "./root-place.ts";

export type RootToInit = {
  root: string;
  /** `embedded`, or `postgres://user@host:port/database`. */
  postgres: string;
  name: string;
  /** As `bucketPlace` takes it; null: long blobs are rows. */
  s3: string | null;
};

/** Order of effects: bucket and server answer, and the server has the root's tables; then the folder says where the root is. A crash in
 *  between leaves tables that nobody uses yet, and another call finds them. */
export async function initRoot(init: RootToInit): Promise<Result<RootPlace, Failure>> {
  const { root, name, s3 } = init;
  try {
    if (existsSync(storagePaths(root).index)) return err(inUse(root));
    const at = serverOf(init);
    if (!at.ok) return at;
    const place = { postgres: at.value, name, s3 };
    await askBucket(place);
    const { openDatabase, startEmbeddedServer } = await postgres();
    makeFolderSync(root);
    const url =
      at.value.kind === "url"
        ? at.value.url
        : (await startEmbeddedServer(embeddedPlace(root, at.value.folder))).url;
    await (await openDatabase({ url, root: name })).close();
    const written = await writeRootPlace(root, place);
    return written.ok ? ok(place) : written;
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

/** Ends the server of a root that has one of its own. False: it did not run. */
export async function stopRootServer(root: string): Promise<Result<boolean, Failure>> {
  try {
    const place = readRootPlace(root);
    if (place?.postgres.kind !== "embedded") return err(noServer(root));
    const { stopEmbeddedServer } = await postgres();
    return ok(await stopEmbeddedServer(embeddedPlace(root, place.postgres.folder)));
  } catch (thrown) {
    return err(failureFrom(thrown, "STORAGE_FAILED"));
  }
}

/** The server that somebody names on the command line. `USAGE`. */
export function serverOf({
  root,
  postgres: url,
}: Pick<RootToInit, "root" | "postgres">): Result<RootPlace["postgres"], Failure> {
  if (url === "embedded") return ok({ kind: "embedded", folder: embeddedFolder(root) });
  if (/^postgres(?:ql)?:\/\//u.test(url) && URL.canParse(url)) return ok({ kind: "url", url });
  return err(
    failure(
      "USAGE",
      "--postgres takes embedded, or a URL",
      "for example postgres://ada@db.example.com/workflows",
    ),
  );
}

/** As root, PostgreSQL runs as another user, who may not enter a storage root. */
function embeddedFolder(root: string): string {
  if (process.getuid?.() !== 0) return join(root, "postgres");
  return join("/var/lib/uncaged-workflow", hash("sha256", root).slice(0, 16));
}

function inUse(root: string): Failure {
  return failure(
    "TARGET_EXISTS",
    `${root} has threads of its own in index.db`,
    "choose a new folder: UNCAGED_WORKFLOW_STORAGE_ROOT=<folder> uncaged-workflow root init …",
  );
}

function noServer(root: string): Failure {
  return failure("USAGE", `${root} has no PostgreSQL server of its own`, "stop it where it runs");
}
