import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { ExternalBases } from "./external-bases.ts";
import { locateExternal } from "./locate-package.ts";

/** The version of each external package as this storage root resolves it now.
 *  `BUNDLE_UNRESOLVED` names those that are not installed. */
export function resolveExternals(
  names: readonly string[],
  bases: ExternalBases,
): Result<{ readonly [packageName: string]: string }, Failure> {
  const found = names.map((name) => ({ name, located: locateExternal(name, bases) }));
  const missing = found.flatMap(({ name, located }) => (located === null ? [name] : []));
  if (missing.length > 0) return err(unresolved(missing, bases.root));
  return ok(
    Object.fromEntries(
      found.flatMap(({ name, located }) => (located === null ? [] : [[name, located.version]])),
    ),
  );
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
