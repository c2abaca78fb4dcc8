/** The full check of an untrusted bundle: its text, its imports, its exports, its descriptor. None of it runs in
 *  this process, and nothing is written. */
import { hashBytes, sha256Hex } from "@uncaged/workflow-cas";
import { type Failure, ok, type Result, type WorkflowDescriptor } from "@uncaged/workflow-protocol";
import type { ExternalBases } from "../externals/external-bases.ts";
import { hookTargets } from "../externals/hook-targets.ts";
import { listExternals } from "../externals/list-externals.ts";
import { readableFolders } from "../externals/readable-folders.ts";
import { locateExternals } from "../externals/resolve-externals.ts";
import { type CheckRule, checkDescriptor } from "./check-descriptor.ts";
import { judgeRun } from "./judge-run.ts";
import { LOCKED_LIMITS, type LockedLimits, runLockedChild } from "./run-locked-child.ts";
import type { BuiltSources } from "./source-place.ts";

export type BundleCheck = {
  bytes: Buffer;
  /** The bundle's name in messages: its path. */
  place: string;
  bases: ExternalBases;
  /** The descriptor file next to the bundle; null when there is none. */
  sidecar: { path: string; text: string } | null;
  checkRule: CheckRule;
  /** For a bundle that has just been built. */
  sources?: BuiltSources | null;
  limits?: LockedLimits;
};

export type CheckedBundle = {
  bytes: Buffer;
  hash: string;
  sha256: string;
  descriptor: WorkflowDescriptor;
  externals: readonly string[];
};

export async function checkBundle(check: BundleCheck): Promise<Result<CheckedBundle, Failure>> {
  const { bytes, place, bases, limits = LOCKED_LIMITS, sources = null } = check;
  const externals = await listExternals(bytes.toString("utf8"), place);
  if (!externals.ok) return externals;
  const hooks = hookTargets(bases);
  const packages = locateExternals(externals.value, hooks.bases);
  if (!packages.ok) return packages;
  const hash = hashBytes(bytes);
  const outcome = await runLockedChild({
    bytes,
    bundleUrl: new URL(`${hash}/bundle.esm.js`, hooks.bundles).href,
    hooks,
    readable: readableFolders(packages.value),
    limits,
  });
  const own = judgeRun(outcome, { place, root: bases.root, limits, sources });
  if (!own.ok) return own;
  const descriptor = checkDescriptor({ ...check, value: own.value });
  if (!descriptor.ok) return descriptor;
  return ok({
    bytes,
    hash,
    sha256: sha256Hex(bytes),
    descriptor: descriptor.value,
    externals: externals.value,
  });
}
