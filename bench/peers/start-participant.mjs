import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const MODULE = fileURLToPath(new URL("participant.mjs", import.meta.url));
/** A deed of the participant bounds itself; past this something is broken. */
const PATIENCE_MS = 120_000;
const END_MS = 5_000;

/** A process that waits for what it is asked, one deed at a time (see participant.mjs). */
export function startParticipant() {
  const child = fork(MODULE, {
    // What others say about their dependencies is not for this table.
    execArgv: ["--no-deprecation"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const gone = once(child, "exit");
  const ask = async (deed, words = {}) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    if (child.connected) child.send({ deed, ...words });
    const [answer] = await Promise.race([
      once(child, "message", { signal }),
      gone.then(([code]) => [{ error: `it ended with ${code}` }]),
    ]);
    if (answer.error !== undefined) throw new Error(`${deed}: ${answer.error}`);
    return answer;
  };
  return {
    ask,
    /** A system may wait for threads that wait in their role; nobody waits for it longer than this. */
    async close() {
      const late = setTimeout(() => child.kill("SIGKILL"), 2 * END_MS);
      const closed = ask("close").catch(() => {});
      await Promise.race([closed, sleep(END_MS)]);
      if (child.connected) child.disconnect();
      await gone;
      clearTimeout(late);
    },
  };
}
