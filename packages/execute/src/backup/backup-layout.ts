/** Contents of a backup, in this order:
 *
 *      backup.json                      format, version, time
 *      workflow.yaml                    names, versions, configuration
 *      package.json, package-lock.json  packages installed for bundles, and tarballs/ of those from a folder
 *      .env, keys/                      only if asked for
 *      bundles/<hash>/…                 every registered version, with the history of its threads
 *      cas/<hash>.txt                   every blob that a thread reaches and that is not in the index
 *      index.db.<nnnn>                  the index, in pieces that fit into memory
 *      SHA256SUMS                       of all the others, as `sha256sum -c` reads it
 *
 *  Apart from the pieces of the index, paths are those in the storage root. */

import type { Failure } from "@uncaged/workflow-protocol";
import { failure, HASH_PATTERN, isHash, parseJson } from "@uncaged/workflow-protocol";
import { z } from "zod";

export const ABOUT_ENTRY = "backup.json";
export const SUMS_ENTRY = "SHA256SUMS";

/** Files of a storage root that a backup includes if they exist. */
export const ROOT_FILES: readonly string[] = ["workflow.yaml", "package.json", "package-lock.json"];
/** Files that it includes only on request. */
export const SECRET_FILES: readonly string[] = [".env", "keys/attest.key", "keys/attest.pub"];
export const TARBALLS = "tarballs";
export const BUNDLE_FILES: readonly string[] = [
  "descriptor.json",
  "build.json",
  "package.json",
  "types.d.ts",
  "flow.yaml",
  "bundle.esm.js",
];

/** Bytes of each piece of the index except the last. */
export const PIECE_BYTES: number = 64 * 1024 * 1024;

export function pieceEntry(n: number): string {
  return `index.db.${String(n).padStart(4, "0")}`;
}

export type About = {
  /** Unix milliseconds. */
  createdAt: number;
};

export function aboutText({ createdAt }: About): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, createdAt })}\n`;
}

/** null: no backup, or one of a later version. */
export function parseAbout(text: string): About | null {
  const parsed = aboutSchema.safeParse(parseJson(text));
  return parsed.success ? { createdAt: parsed.data.createdAt } : null;
}

const FORMAT = "uncaged-workflow-backup";
const VERSION = 1;
const aboutSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  createdAt: z.number().int().nonnegative(),
});

/** The hash of a blob's entry; null for any other name. */
export function hashOfEntry(name: string): string | null {
  const hash = /^cas\/(.*)\.txt$/.exec(name)?.[1] ?? "";
  return isHash(hash) ? hash : null;
}

/** Whether a file of a storage root has this path. No other name of an entry becomes a path. */
export function isRootPath(name: string): boolean {
  if (ROOT_FILES.includes(name) || SECRET_FILES.includes(name)) return true;
  const [top = "", second = "", ...rest] = name.split("/");
  if (top === TARBALLS) return rest.length === 0 && TARBALL.test(second);
  if (top !== "bundles" || !HASH_PATTERN.test(second)) return false;
  const file = rest.join("/");
  return BUNDLE_FILES.includes(file) || HISTORY.test(file);
}

/** As `agent add` names them. No name begins with a dot. */
export const TARBALL: RegExp = /^[\w][\w.-]{0,80}\.tgz$/;
const HISTORY = /^history\/\d{4}-\d{2}-\d{2}\.jsonl$/;

/** What is wrong with a backup, and where. */
export function invalidBackup(path: string, problem: string): Failure {
  return failure(
    "BACKUP_INVALID",
    `${path} is not a valid backup: ${problem}`,
    "nothing was restored; get the file again, or use an older backup",
  );
}
