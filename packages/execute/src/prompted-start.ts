import { encodeContent, encodeStart } from "@uncaged/workflow-cas";
import type { NodeStore } from "@uncaged/workflow-protocol";
import { type Chain, promptHash } from "./chain.ts";

/** Stores the start of a thread that is like this one's but for its prompt. The chain has no step, and none of its
 *  nodes is shared with the old one. */
export async function promptedStart(
  cas: Pick<NodeStore, "putBatch">,
  { start }: Pick<Chain, "start">,
  text: string,
): Promise<{ hash: string; chain: Chain }> {
  const prompt = encodeContent(text);
  const { [promptHash(start)]: _replaced, ...digests } = start.payload.digests;
  const payload = { ...start.payload, digests: { ...digests, [prompt.hash]: prompt.sha256 } };
  const refs = [prompt.hash, ...start.refs.slice(1)];
  const node = encodeStart(payload, refs);
  await cas.putBatch([prompt, node]);
  return {
    hash: node.hash,
    chain: { startHash: node.hash, start: { type: "start", payload, refs }, states: [] },
  };
}
