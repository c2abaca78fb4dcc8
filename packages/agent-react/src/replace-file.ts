import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { isErrno } from "./is-errno.ts";
import { type HeldPlace, openForReading, pathOf } from "./work-folder.ts";

const NEW_FILE_MODE = 0o666;

/** Returns the file this content, whole or not at all: another file of the same folder takes its name. A link of
 *  that name is replaced, not followed, and another name of the old file keeps the old content. */
export async function replaceFile(held: HeldPlace, content: string): Promise<void> {
  const mode = await modeOf(held);
  const draft = pathOf({ ...held, name: `.${randomUUID()}.draft` });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    const handle = await open(draft, flags, mode ?? NEW_FILE_MODE);
    try {
      await handle.writeFile(content);
      // The umask applies to new files only.
      if (mode !== null) await handle.chmod(mode);
    } finally {
      await handle.close();
    }
    await rename(draft, pathOf(held));
  } catch (thrown) {
    await rm(draft, { force: true });
    throw thrown;
  }
}

/** Permission bits of the file that stands there; null: there is none. */
async function modeOf(held: HeldPlace): Promise<number | null> {
  try {
    const handle = await openForReading(held);
    try {
      const about = await handle.stat();
      if (about.isDirectory()) throw new Error("it is a folder");
      return about.mode & 0o777;
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (isErrno(thrown, "ENOENT")) return null;
    throw thrown;
  }
}
