import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { hashBytes, sha256Hex } from "@uncaged/workflow-cas";
import { bundleFiles } from "@uncaged/workflow-register";
import { storagePaths } from "@uncaged/workflow-util";
import { filesOf, keep } from "../place/shared-registry.ts";
import { hashesIn } from "./hashes-in.ts";
import type { BundleFile, MovingBundles } from "./moving-end.ts";

/** The bundles in a storage root's folder. */
export function folderBundles(root: string): MovingBundles {
  const hashes = new Map<string, string>();
  return {
    async list() {
      for (const hash of await hashesIn(storagePaths(root).bundles)) {
        const { bundle } = bundleFiles(root, hash);
        if (existsSync(bundle)) hashes.set(sha256Hex(await readFile(bundle)), hash);
      }
      return [...hashes.keys()].sort();
    },
    async get(sha256) {
      const hash = hashes.get(sha256);
      return hash === undefined ? [] : filesOf(bundleFiles(root, hash));
    },
    async put(_sha256, files) {
      const module = moduleOf(files);
      if (module !== null) await keep(root, bundleFiles(root, hashBytes(module)), files);
    },
  };
}

/** null: it has none, and so cannot run. */
export function moduleOf(files: readonly BundleFile[]): Buffer | null {
  const name = basename(bundleFiles("/", "0000000000000").bundle);
  const file = files.find((each) => each.name === name);
  return file === undefined ? null : Buffer.from(file.bytes);
}
