import { isDeepStrictEqual } from "node:util";
import { sha256Hex } from "@uncaged/workflow-cas";
import { differs } from "./copy-blobs.ts";
import type { Effect } from "./effect.ts";
import { moduleOf } from "./folder-bundles.ts";
import type { BundleFile, MovingBundles } from "./moving-end.ts";

/** Copies every version, also those that no name stands for any more: threads run them. Returns how many. Throws
 *  `STORAGE_FAILED` when a copy differs. */
export async function copyBundles(
  from: MovingBundles,
  to: MovingBundles,
  effect: Effect,
): Promise<number> {
  const all = await from.list();
  for (const sha256 of all) {
    const files = await from.get(sha256);
    await effect("store a bundle");
    await to.put(sha256, files);
  }
  const there = new Set(await to.list());
  for (const sha256 of all) {
    const module = moduleOf(await from.get(sha256));
    // One whose module is not what its name says cannot run at either end.
    if (module === null || sha256Hex(module) !== sha256) continue;
    if (!there.has(sha256) || !same(await to.get(sha256), await from.get(sha256)))
      throw differs(`the bundle ${sha256.slice(0, 12)}`);
  }
  return all.length;
}

function same(a: readonly BundleFile[], b: readonly BundleFile[]): boolean {
  return isDeepStrictEqual(byName(a), byName(b));
}

function byName(files: readonly BundleFile[]): Record<string, string> {
  return Object.fromEntries(
    files.map(({ name, bytes }) => [name, sha256Hex(Buffer.from(bytes))] as const).toSorted(),
  );
}
