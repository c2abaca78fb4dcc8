/** Versions of its workflow that a thread ran, read off its chain.
 *
 *  1. The start node names the first; each upgrade names the one before and the one from there on, and vouches
 *     for the new bundle's bytes as the start node does for the first. */
import { isHash, type StateNode, UPGRADE } from "@uncaged/workflow-protocol";
import type { Chain, ChainState } from "./chain.ts";

export type ThreadVersion = {
  /** Of the bundle. */
  hash: string;
  /** SHA-256 (hex) of its bytes; empty when nothing vouches for them. */
  sha256: string;
};

/** The version that a thread runs with after these states. */
export function versionAfter(chain: Chain): ThreadVersion {
  const upgrade = chain.states.findLast(isUpgrade);
  const { payload } = upgrade?.node ?? chain.start;
  const hash =
    upgrade === undefined ? chain.start.payload.hash : (upgradeOf(upgrade.node)?.to ?? "");
  return { hash, sha256: payload.digests[hash] ?? "" };
}

/** Every version, each once, in the order in which it came. */
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

/** What an upgrade says; null when the node is none, or says something else. */
export function upgradeOf({ payload }: StateNode): { from: string; to: string } | null {
  const { from, to } = payload.meta;
  if (payload.role !== UPGRADE || typeof from !== "string" || typeof to !== "string") return null;
  return isHash(from) && isHash(to) ? { from, to } : null;
}
