import type { CasStore } from "@uncaged/workflow-protocol";
import { readNode } from "../chain/read-node.ts";
import { excerpt } from "./excerpt.ts";

const META_CHARS = 1_000;
const CONTENT_CHARS = 1_200;

/** Some steps of a thread, described for a model: round, role, time, result and text, each within limits. `roundHashes`
 *  are all role results, oldest first; the newest `count` of them are described. */
export async function describeSteps(
  cas: Pick<CasStore, "get">,
  roundHashes: readonly string[],
  count: number,
): Promise<string> {
  const first = Math.max(0, roundHashes.length - count);
  const steps: string[] = [];
  for (const [place, hash] of roundHashes.slice(first).entries())
    steps.push(await describeStep(cas, hash, first + place + 1));
  return steps.join("\n\n");
}

async function describeStep(
  cas: Pick<CasStore, "get">,
  hash: string,
  round: number,
): Promise<string> {
  const { payload } = await readNode(cas, hash, "state");
  const said = (await readNode(cas, payload.content, "content")).payload;
  const meta = JSON.stringify(payload.meta);
  const lines = [
    `Step ${round}, role ${payload.role}, ${new Date(payload.timestamp).toISOString()}`,
    `result: ${excerpt(meta, META_CHARS)}`,
  ];
  if (said !== meta) lines.push(`said: ${excerpt(said, CONTENT_CHARS)}`);
  return lines.join("\n");
}
