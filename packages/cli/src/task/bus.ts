import { setTimeout as sleep } from "node:timers/promises";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { withDesk } from "./with-desk.ts";

const PAGE = 500;
const LOOK_MS = 300;

/** Messages of the tasks as JSON Lines. */
export async function bus(
  { follow, from }: { follow: boolean; from: number },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withDesk(io, null, async ({ store, place }) => {
    const { commonDir: repository } = place.repository;
    const signal = follow ? io.interruption() : AbortSignal.abort();
    let after = from - 1;
    while (true) {
      const messages = await store.messages({ repository, after, limit: PAGE });
      for (const message of messages) {
        await io.stdout.write(`${JSON.stringify(message)}\n`);
        after = message.seq;
      }
      if (messages.length === PAGE) continue;
      if (signal.aborted) return ok({ streamed: true });
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  });
}
