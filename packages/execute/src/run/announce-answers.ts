import type { LiveEvent, LiveLog } from "@uncaged/workflow-protocol";
import { type Chain, type ChainState, roleStates } from "../chain/chain.ts";

/** Tells those who watch a thread of the answers that people gave while nobody owned it: only an owner writes to the live
 *  log. An owner that died after this has already told them. */
export async function announceAnswers(
  live: LiveLog,
  { threadId, chain }: { threadId: string; chain: Chain },
  emit: (event: LiveEvent) => void,
): Promise<void> {
  const rounds = roleStates(chain);
  const isAnswer = ({ node }: ChainState): boolean => node.payload.person?.user != null;
  const first = 1 + rounds.findLastIndex((round) => !isAnswer(round));
  if (first === rounds.length) return;
  const told = await newest(live, threadId);
  for (const [at, { hash, node }] of rounds.entries()) {
    const { role, meta, timestamp, group } = node.payload;
    if (at < first || told >= timestamp) continue;
    const place = group === undefined ? {} : { group };
    const step = { role, round: at + 1, ...place, stateHash: hash, meta };
    emit({ threadId, timestamp, type: "step_completed", ...step });
  }
}

/** Time of the newest event; 0: there is none. */
async function newest(live: LiveLog, threadId: string): Promise<number> {
  const after = Math.max(0, (await live.last(threadId)) - 1);
  let timestamp = 0;
  const { signal } = new AbortController();
  for await (const item of live.read(threadId, { after, until: "end", signal }))
    if (item.type !== "gap") timestamp = item.timestamp;
  return timestamp;
}
