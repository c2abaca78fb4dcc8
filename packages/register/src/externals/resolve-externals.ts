import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { ExternalBases } from "./external-bases.ts";
import { type LocatedPackage, locateExternal } from "./locate-package.ts";

/** The version of each external package as this storage root resolves it now. `BUNDLE_UNRESOLVED` names those that
 *  are not installed. */
export function resolveExternals(
  names: readonly string[],
  bases: ExternalBases,
): Result<{ readonly [packageName: string]: string }, Failure> {
  const located = locateExternals(names, bases);
  if (!located.ok) return located;
  return ok(Object.fromEntries(located.value.map(({ name, version }) => [name, version])));
}

/** The same, plus the folders in which they were found. */
export function locateExternals(
  names: readonly string[],
  bases: ExternalBases,
): Result<LocatedPackage[], Failure> {
  const found: LocatedPackage[] = [];
  const missing: string[] = [];
  for (const name of names) {
    const located = locateExternal(name, bases);
    if (located === null) missing.push(name);
    else found.push(located);
  }
  return missing.length === 0 ? ok(found) : err(unresolved(missing, bases.root));
}

export function unresolved(missing: readonly string[], root: string): Failure {
  const what =
    missing.length === 1 ? "a package that is not installed" : "packages that are not installed";
  return failure(
    "BUNDLE_UNRESOLVED",
    `the bundle imports ${what}: ${missing.join(", ")}`,
    `install it into the storage root: npm install --prefix ${JSON.stringify(root)} ${missing.join(" ")}`,
  );
}
