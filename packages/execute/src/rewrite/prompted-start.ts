import { encodeContent, encodeStart } from "@uncaged/workflow-cas";
import type { NodeStore, StartNode } from "@uncaged/workflow-protocol";
import { promptHash } from "../chain/chain.ts";

/** Stores a start node like this thread's, but with another prompt. The two threads share no node. */
export async function promptedStart(
  cas: Pick<NodeStore, "putBatch">,
  start: StartNode,
  text: string,
): Promise<string> {
  const prompt = encodeContent(text);
  const { [promptHash(start)]: _replaced, ...digests } = start.payload.digests;
  const payload = { ...start.payload, digests: { ...digests, [prompt.hash]: prompt.sha256 } };
  const node = encodeStart(payload, [prompt.hash, ...start.refs.slice(1)]);
  await cas.putBatch([prompt, node]);
  return node.hash;
}
