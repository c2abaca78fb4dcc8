import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const MODULE = fileURLToPath(new URL("participant.mjs", import.meta.url));
/** A deed of the participant bounds itself; past this something is broken. */
const PATIENCE_MS = 120_000;

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
    child.send({ deed, ...words });
    const [answer] = await Promise.race([
      once(child, "message", { signal }),
      gone.then(([code]) => [{ error: `it ended with ${code}` }]),
    ]);
    if (answer.error !== undefined) throw new Error(`${deed}: ${answer.error}`);
    return answer;
  };
  return {
    ask,
    async close() {
      if (child.connected) await ask("close").catch((error) => console.error(error.message));
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}
