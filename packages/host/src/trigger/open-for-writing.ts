import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Which of these files a process of this user has open for writing. Only Linux reports this: elsewhere the result is
 *  empty, and writers of other users and machines are never seen. */
export function openForWriting(paths: readonly string[]): ReadonlySet<string> {
  const written = new Set<string>();
  if (process.platform !== "linux" || paths.length === 0) return written;
  const wanted = new Map(paths.map((path) => [realPath(path), path]));
  for (const pid of entriesOf("/proc").filter((name) => /^\d+$/.test(name))) {
    for (const fd of entriesOf(`/proc/${pid}/fd`)) {
      const path = wanted.get(textOf(() => readlinkSync(`/proc/${pid}/fd/${fd}`)));
      if (path !== undefined && isForWriting(pid, fd)) written.add(path);
    }
  }
  return written;
}

/** The file may be gone by now; its folder is what may be linked. */
function realPath(path: string): string {
  return textOf(() => join(realpathSync(dirname(path)), basename(path)));
}

/** The access mode is in the last two bits of an octal number: 1 for writing, 2 for both. */
function isForWriting(pid: string, fd: string): boolean {
  const info = textOf(() => readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8"));
  const [, flags = "0"] = /^flags:\s*([0-7]+)$/m.exec(info) ?? [];
  return (Number.parseInt(flags, 8) & 3) !== 0;
}

/** Empty for a process that is gone, or another user's. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
