import { setTimeout as sleep } from "node:timers/promises";
import { isAway } from "./failures.ts";

/** How long a call tries in total: a server that restarts or fails over is back by then. Whether its caller still owns a
 *  thread is decided by the server. */
const PATIENCE_MS = 30_000;
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/** Calls `attempt` again while the server is away. Its caller makes sure that nothing is done twice. */
export async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (thrown) {
      if (!isAway(thrown) || performance.now() >= giveUpAt) throw thrown;
    }
    await sleep(Math.random() * pauseMs);
  }
}
