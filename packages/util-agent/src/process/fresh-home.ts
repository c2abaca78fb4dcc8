/** The private folder of a role's agent, as a step finds it.
 *
 *  Any command run in an earlier step may have written there: settings, hooks, instructions, servers, skills. So
 *  everything is removed before each start, except what the driver says a session needs. Links are not followed and
 *  are removed too, because they could lead to someone else's files. */
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** `keeps`: relative paths; a star stands for any characters within one name. */
export async function freshHome(home: string, keeps: readonly string[]): Promise<void> {
  await realFolder(dirname(home));
  await realFolder(home);
  await sweep(
    home,
    keeps.map((path) => path.split("/")),
  );
}

async function sweep(folder: string, keeps: readonly (readonly string[])[]): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const kept = keeps.filter(([name = ""]) => isLike(name, entry.name));
    const whole = kept.some(({ length }) => length === 1);
    if (entry.isSymbolicLink() || kept.length === 0)
      await rm(path, { recursive: true, force: true });
    else if (!whole && entry.isDirectory())
      await sweep(
        path,
        kept.map(([, ...rest]) => rest),
      );
    else if (!whole) await rm(path, { force: true });
  }
}

/** A link in the folder's place would lead the agent elsewhere. */
async function realFolder(path: string): Promise<void> {
  const there = await lstat(path).catch(() => null);
  if (there !== null && !there.isDirectory()) await rm(path, { force: true });
  await mkdir(path, { recursive: true, mode: 0o700 });
}

function isLike(name: string, text: string): boolean {
  const [first = "", ...rest] = name.split("*");
  const last = rest.at(-1);
  if (last === undefined) return name === text;
  return text.length >= first.length + last.length && text.startsWith(first) && text.endsWith(last);
}
