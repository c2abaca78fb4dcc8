import { join } from "node:path";
import { storagePaths } from "@uncaged/workflow-util";

/** The files in `bundles/<hash>/`. */
export type BundleFiles = {
  folder: string;
  bundle: string;
  descriptor: string;
  /** How it was built and what it needs; see `BuildRecord`. */
  build: string;
  /** Optional: type declarations supplied by the author. */
  types: string;
  /** Optional: the text that it was compiled from. */
  yaml: string;
  /** Declares the bundle to be a module, whatever a `package.json` further up says. */
  manifest: string;
};

/** Throws `USAGE` for anything but a hash. */
export function bundleFiles(root: string, hash: string): BundleFiles {
  const folder = storagePaths(root).bundle(hash);
  return {
    folder,
    bundle: join(folder, "bundle.esm.js"),
    descriptor: join(folder, "descriptor.json"),
    build: join(folder, "build.json"),
    types: join(folder, "types.d.ts"),
    yaml: join(folder, "flow.yaml"),
    manifest: join(folder, "package.json"),
  };
}

/** What a build writes next to its bundle. The source map is only for debuggers and not part of the bundle. */
export type OutputFiles = { bundle: string; descriptor: string; build: string; sourceMap: string };

/** `dist/flow.esm.js` → `dist/flow.descriptor.json` and so on. */
export function outputFiles(bundle: string): OutputFiles {
  const stem = bundle.replace(/(?:\.esm)?\.m?js$/, "");
  return {
    bundle,
    descriptor: `${stem}.descriptor.json`,
    build: `${stem}.build.json`,
    sourceMap: `${bundle}.map`,
  };
}
