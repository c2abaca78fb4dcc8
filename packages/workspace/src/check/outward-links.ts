import { readlink, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, sep } from "node:path";

/** Those of the links that lead out of the checkout, where somebody else decides what they find. */
export async function outwardLinks(files: string, paths: readonly string[]): Promise<string[]> {
  const root = await realpath(files);
  const outward: string[] = [];
  for (const path of paths) if (await leadsOut(root, path)) outward.push(path);
  return outward;
}

async function leadsOut(root: string, path: string): Promise<boolean> {
  const target = await readlink(join(root, path)).catch(() => null);
  if (target === null) return false;
  const named = normalize(join(dirname(path), target));
  if (isAbsolute(target) || named === ".." || named.startsWith(`..${sep}`)) return true;
  // By way of other links.
  const real = await realpath(join(root, path)).catch(() => null);
  return real !== null && real !== root && !real.startsWith(root + sep);
}
