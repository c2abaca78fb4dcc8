import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isErrno, storagePaths } from "@uncaged/workflow-util";
import { shellWord } from "../command/shell-word.ts";
import { type Check, type DoctorContext, fine, wrong } from "./check.ts";

const NAME = "access";
const SHOWN = 5;
const OTHERS_WRITE = 0o022;
const OTHERS_ENTER = 0o011;
const OTHERS = 0o077;

/** Checks that nobody else can write to the storage root, or read its content. */
export async function checkAccess({ root }: DoctorContext): Promise<Check> {
  const folder = await statsOf(root);
  if (folder === null || process.platform === "win32") return fine(NAME, "nothing to check");
  if ((folder.mode & OTHERS_WRITE) !== 0) {
    return wrong(
      NAME,
      `others can write to ${root} (mode ${shown(folder)}): they can replace what you run`,
      `chmod 700 ${shellWord(root)}`,
    );
  }
  // Nobody else can reach what is in it.
  if ((folder.mode & OTHERS_ENTER) === 0) return fine(NAME, `nobody else can enter ${root}`);
  const open: string[] = [];
  for (const path of await keptIn(root)) {
    const stats = await statsOf(path);
    if (stats !== null && (stats.mode & OTHERS) !== 0) open.push(path);
  }
  if (open.length === 0) return fine(NAME, `nobody else can read what is stored in ${root}`);
  return wrong(
    NAME,
    `others can read ${open.slice(0, SHOWN).join(", ")}${open.length > SHOWN ? ", …" : ""}`,
    `chmod -R go= ${open.map(shellWord).join(" ")}`,
  );
}

/** Everything but the configuration and its keys, which have their own check, and installed packages, which are not
 *  secret. */
async function keptIn(root: string): Promise<string[]> {
  const { registry, keyFile, packages } = storagePaths(root);
  const paths = (await readdir(root)).map((name) => join(root, name)).sort();
  const others = [registry, keyFile, packages];
  return paths.filter((path) => !others.includes(path) && !isManifest(path));
}

/** Files that npm keeps next to the packages, with the umask's mode. */
function isManifest(path: string): boolean {
  return path.endsWith("/package.json") || path.endsWith("/package-lock.json");
}

async function statsOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (cause) {
    if (isErrno(cause, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return null;
    throw cause;
  }
}

function shown({ mode }: Stats): string {
  return `0${(mode & 0o7777).toString(8)}`;
}
