/** The packed packages that a clone's command line carries with it, for projects on machines whose registry does not
 *  have them. A command line installed from a registry carries none.
 *
 *  A project keeps its packages under `vendor/uncaged`, with the same index; so the command line installed in such a
 *  project can create another one. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { cliVersion } from "../command/cli-version.ts";

export const VENDOR = "vendor/uncaged";
export const INDEX = "packages.json";

export type CarriedPackages = {
  /** Where the files are. */
  folder: string;
  /** Package name → its tarball in the folder. */
  files: ReadonlyMap<string, string>;
};

const FILE_NAME = /^[a-z0-9][a-z0-9.+-]*\.tgz$/;
const PACKAGE_NAME = /^@uncaged\/[a-z0-9-]+$/;
const index = z.record(
  z.string().regex(PACKAGE_NAME),
  z.object({ version: z.string(), file: z.string().regex(FILE_NAME) }),
);

/** null: they come from the registry. */
export function carriedPackages(): CarriedPackages | null {
  const carried = fileURLToPath(new URL("../../dist/packages/", import.meta.url));
  const own = fileURLToPath(new URL("../../", import.meta.url));
  return packagesIn(carried) ?? vendoredAbove(own);
}

function vendoredAbove(folder: string): CarriedPackages | null {
  const found = packagesIn(join(folder, VENDOR));
  if (found !== null || dirname(folder) === folder) return found;
  return vendoredAbove(dirname(folder));
}

/** The packages in a folder, when they are of this release. */
function packagesIn(folder: string): CarriedPackages | null {
  const file = join(folder, INDEX);
  if (!existsSync(file)) return null;
  const read = index.safeParse(jsonIn(file));
  if (!read.success || read.data[CLI]?.version !== cliVersion()) return null;
  const files = Object.entries(read.data).map(([name, each]): [string, string] => [
    name,
    each.file,
  ]);
  return { folder, files: new Map(files) };
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

const CLI = "@uncaged/cli-workflow";
