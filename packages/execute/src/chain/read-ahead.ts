import { decodeNode } from "@uncaged/workflow-cas";
import type { StateNode } from "@uncaged/workflow-protocol";
import type { NodeReader } from "./read-node.ts";

export type ReadState = { hash: string; text: string; node: StateNode };

/** Reads states of a chain before a walk reaches them: `from` and up to 2^`jumps` states before it, keyed by their
 *  distance from `from`. Missing and damaged states are left out. A state names its ancestors at distances 1, 2, 4 …,
 *  so ten parallel reads find a thousand states.
 *
 *  This proves nothing about the chain: a walk still goes from parent to parent, and reads whatever is not in here. */
export async function readAhead(
  cas: Pick<NodeReader, "getMany">,
  from: string,
  jumps: number,
): Promise<(ReadState | undefined)[]> {
  const found: (ReadState | undefined)[] = [];
  let wave: Place[] = [{ hash: from, distance: 0, jumps }];
  while (wave.length > 0) {
    const texts = await cas.getMany(wave.map(({ hash }) => hash));
    const next: Place[] = [];
    for (const { hash, distance, jumps } of wave) {
      const state = stateIn(hash, texts.get(hash));
      if (state === null) continue;
      found[distance] = state;
      // Jumps get shorter, so there is exactly one way to each distance and no state is read twice.
      for (const [jump, ancestor] of state.node.payload.ancestors.slice(0, jumps).entries())
        next.push({ hash: ancestor, distance: distance + 2 ** jump, jumps: jump });
    }
    wave = next;
  }
  return found;
}

/** A state to read, and how many of its ancestors to follow from there. */
type Place = { hash: string; distance: number; jumps: number };

function stateIn(hash: string, text: string | undefined): ReadState | null {
  if (text === undefined) return null;
  const node = decodeNode(text);
  return node.ok && node.value.type === "state" ? { hash, text, node: node.value } : null;
}
