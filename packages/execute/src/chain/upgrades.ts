/** The workflow versions that a thread ran, read from its chain.
 *
 *  1. The start node names the first. Each upgrade names the version before and the version after it, and vouches for
 *     the new bundle's bytes as the start node does for the first. */
import { isHash, type StateNode, UPGRADE } from "@uncaged/workflow-protocol";
import type { Chain, ChainState } from "./chain.ts";

export type ThreadVersion = {
  /** Hash of the bundle. */
  hash: string;
  /** SHA-256 (hex) of the bundle's bytes; empty when nothing vouches for them. */
  sha256: string;
};

/** The version that a thread runs after these states. */
export function versionAfter(chain: Chain): ThreadVersion {
  const upgrade = chain.states.findLast(isUpgrade);
  const { payload } = upgrade?.node ?? chain.start;
  const hash =
    upgrade === undefined ? chain.start.payload.hash : (upgradeOf(upgrade.node)?.to ?? "");
  return { hash, sha256: payload.digests[hash] ?? "" };
}

/** Every version once, in order of first use. */
export function versionsOf(chain: Chain): ThreadVersion[] {
  const versions = new Map<string, ThreadVersion>();
  for (const [index, state] of chain.states.entries()) {
    if (!isUpgrade(state)) continue;
    const before = versionAfter({ ...chain, states: chain.states.slice(0, index) });
    versions.set(before.hash, before);
  }
  const last = versionAfter(chain);
  versions.set(last.hash, last);
  return [...versions.values()];
}

export function isUpgrade({ node }: ChainState): boolean {
  return node.payload.role === UPGRADE;
}

/** The versions that an upgrade names; null when the node is not a well-formed upgrade. */
export function upgradeOf({ payload }: StateNode): { from: string; to: string } | null {
  const { from, to } = payload.meta;
  if (payload.role !== UPGRADE || typeof from !== "string" || typeof to !== "string") return null;
  return isHash(from) && isHash(to) ? { from, to } : null;
}
