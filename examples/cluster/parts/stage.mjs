/** One temporary folder, and an end for everything that was started: also at Ctrl-C, and when something fails. */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Returns the exit code. `play` gets what to do, the folder, a signal that aborts at Ctrl-C, and `atEnd`, which takes what
 *  to undo; the last comes first. */
export async function onStage(wanted, play) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "uncaged-cluster-")));
  // PostgreSQL has a user of its own when you are root, who has to get through.
  chmodSync(folder, 0o711);
  const undoing = [];
  const interruption = new AbortController();
  const interrupt = () => interruption.abort(new Error("interrupted"));
  for (const name of ["SIGINT", "SIGTERM"]) process.on(name, interrupt);
  try {
    const { signal } = interruption;
    const isSound = await play({
      ...wanted,
      folder,
      signal,
      atEnd: (undo) => undoing.unshift(undo),
    });
    return isSound ? 0 : 1;
  } catch (error) {
    console.error(`cluster: ${error.message}`);
    return interruption.signal.aborted ? 130 : 1;
  } finally {
    for (const undo of undoing) await undo();
    if (wanted.keep) console.log(`\nkept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
    for (const name of ["SIGINT", "SIGTERM"]) process.off(name, interrupt);
  }
}
