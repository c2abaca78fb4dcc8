/** The directory that the file tools are confined to.
 *
 *  1. A path counts by where it really leads: `..`, absolute paths and symbolic links are followed first, and
 *     what lies outside is refused.
 *  2. What was looked at is what is used. From the directory on, each folder is opened by its name in the one
 *     above it and never through a link, so that a folder which another process swaps for a link meanwhile is
 *     refused (`ELOOP`, `ENOTDIR`) and not followed. Linux alone can open in an open folder
 *     (`/proc/self/fd`); elsewhere only the last name is safe from such a race.
 *  3. Only files and folders are opened: no device, no pipe. */
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isErrno } from "./is-errno.ts";

/** A file by its place in its folder, which is held open meanwhile. */
export type HeldPlace = {
  /** Names the folder in system calls, whatever becomes of its path. */
  folder: string;
  name: string;
};

/** Where a path leads, relative to the directory: `src/a.ts`; `.` for the directory itself. Throws when it leads
 *  outside. Parts that do not exist yet are taken as they are written. */
export async function placeInside(root: string, path: string): Promise<string> {
  if (path.includes("\0")) throw new Error("the path holds a NUL");
  const realRoot = await realpath(root);
  const place = relative(realRoot, await realPlace(resolve(realRoot, path)));
  if (place === ".." || place.startsWith(`..${sep}`) || isAbsolute(place)) {
    throw new Error(`${path} is outside of the working directory`);
  }
  return place === "" ? "." : place;
}

/** Lends the file's place to `use`. `place` is what `placeInside` returned; with `make`, missing folders are made. */
export async function withPlace<T>(
  root: string,
  place: string,
  opts: { make: boolean; use: (held: HeldPlace) => Promise<T> },
): Promise<T> {
  const names = place === "." ? [] : place.split(sep);
  const name = names.pop() ?? ".";
  let at = await openFolder(await realpath(root));
  try {
    for (const each of names) {
      const path = join(at.path, each);
      if (opts.make) await makeFolder(path);
      const next = await openFolder(path);
      await at.handle.close();
      at = next;
    }
    return await opts.use({ folder: at.path, name });
  } finally {
    await at.handle.close();
  }
}

/** Opens a file or folder for reading. Throws for anything else. */
export async function openForReading(held: HeldPlace): Promise<FileHandle> {
  // Without O_NONBLOCK, opening a pipe waits for its other end.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(pathOf(held), flags);
  const about = await handle.stat();
  if (about.isFile() || about.isDirectory()) return handle;
  await handle.close();
  throw new Error("it is neither a file nor a folder");
}

/** For system calls. The last part stands as it is: normalised, `.` would be gone, and the link that names an open
 *  folder would be the last part. */
export function pathOf({ folder, name }: HeldPlace): string {
  return `${folder}/${name}`;
}

/** Names what is open in system calls, whatever becomes of its path. */
export function openPath(handle: FileHandle, path: string): string {
  return process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : path;
}

/** The real path of what exists of it, and the rest as it is written. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (!isErrno(thrown, "ENOENT") || dirname(path) === path) throw thrown;
    return join(await realPlace(dirname(path)), basename(path));
  }
}

type OpenFolder = { handle: FileHandle; path: string };

async function openFolder(path: string): Promise<OpenFolder> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(path, flags);
  return { handle, path: openPath(handle, path) };
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (thrown) {
    if (!isErrno(thrown, "EEXIST")) throw thrown;
  }
}
