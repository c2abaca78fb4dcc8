/** Checks a bundle that came with a thread from another storage root, as `workflow add` checks a file. Nothing is
 *  written. */
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { CheckRule } from "../check/check-descriptor.ts";
import type { ExternalBases } from "../externals/external-bases.ts";
import { descriptorText } from "./descriptor-text.ts";
import { openBundle } from "./open-bundle.ts";
import type { BundleToStore } from "./store-bundle.ts";

export type ImportedBundle = ExternalBases & {
  hash: string;
  /** SHA-256 (hex) recorded in the thread's start node. */
  sha256: string;
  bytes: Buffer;
  /** The text of the descriptor file that came with it. */
  descriptorText: string;
  /** Version of the bundler that is said to have built it; null: none is named. */
  rolldown: string | null;
  /** The bundle's name in messages. */
  place: string;
  checkRule: CheckRule;
};

/** What to store; null when the storage root already has this bundle. Fails like `workflow add`, or with
 *  `BUNDLE_DESCRIPTOR_MISMATCH` when the descriptor that came with it is not the bundle's own. */
export async function checkImportedBundle(
  imported: ImportedBundle,
): Promise<Result<BundleToStore | null, Failure>> {
  const { root, packagesBase, hash, sha256, bytes, place, checkRule, rolldown } = imported;
  const stored = await openBundle(root, hash, sha256);
  if (stored.ok) {
    const same = descriptorText(stored.value.descriptor) === imported.descriptorText;
    return same ? ok(null) : err(mismatch(place));
  }
  // Loads a lexer and the schemas, which other commands do without.
  const { checkBundle } = await import("../check/check-bundle.ts");
  const checked = await checkBundle({
    bytes,
    place,
    bases: { root, packagesBase },
    sidecar: { path: `the descriptor of ${place}`, text: imported.descriptorText },
    checkRule,
  });
  if (!checked.ok) return checked;
  if (checked.value.hash !== hash || checked.value.sha256 !== sha256) return err(other(place));
  return ok({ ...checked.value, rolldown, types: null, yaml: null });
}

function mismatch(place: string): Failure {
  return failure(
    "BUNDLE_DESCRIPTOR_MISMATCH",
    `the descriptor of ${place} is not the one stored here for the same bundle`,
    "one of the two was changed; get the file again from its author",
  );
}

function other(place: string): Failure {
  return failure(
    "BUNDLE_TAMPERED",
    `the bytes of ${place} are not those that its thread was started with`,
    "get the file again from its author",
  );
}
