import type { LiveEvent, LiveLog } from "@uncaged/workflow-protocol";
import type { Chain } from "../chain/chain.ts";
import { roleStates } from "../chain/chain.ts";

/** Tells those who watch a thread of an answer that a person gave while nobody owned it: only an owner writes to the live
 *  log. An owner that died after this has told it already. */
export async function announceAnswer(
  live: LiveLog,
  { threadId, chain }: { threadId: string; chain: Chain },
  emit: (event: LiveEvent) => void,
): Promise<void> {
  const rounds = roleStates(chain);
  const last = rounds.at(-1);
  if (last?.node.payload.person?.user == null) return;
  const { role, meta, timestamp } = last.node.payload;
  if ((await newest(live, threadId)) >= timestamp) return;
  const step = { role, round: rounds.length, stateHash: last.hash, meta };
  emit({ threadId, timestamp, type: "step_completed", ...step });
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
