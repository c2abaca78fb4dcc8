/** Plays a role from a recording: applies the patch that belongs to this round, if any, and prints the
 *  recorded result as JSON. Told by the environment which round it is; works in the current directory.
 *
 *  Like a careful agent it can be run again after it was killed half-way: a patch that is in place already
 *  is left alone, and storing the same text twice returns the same hash. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const {
  UNCAGED_ROUND: round,
  UNCAGED_ROLE: role,
  DEMO_RECORDINGS: folder,
  DEMO_CLI: cli,
} = process.env;
/** A recorded agent answers at once; this is the time in which the demo can kill one at work. */
const THINKING_MS = 600;

const recording = JSON.parse(readFileSync(`${folder}/${round}-${role}.json`, "utf8"));
await sleep(THINKING_MS);
if (recording.patch) applyOnce(`${folder}/${recording.patch}`);
console.log(JSON.stringify(withHashes(recording.meta)));

function applyOnce(patch) {
  if (succeeds("git", ["apply", "--reverse", "--check", patch])) return;
  execFileSync("git", ["apply", patch]);
}

function succeeds(command, args) {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** `$phase:n` → `{ hash, title }`, `$hash:n` → the hash: phases are stored in the CAS, as a planner would. */
function withHashes(meta) {
  const { phases } = JSON.parse(readFileSync(`${folder}/1-planner.json`, "utf8"));
  const store = (n) =>
    execFileSync(process.execPath, [cli, "cas", "put", "-"], {
      input: phases[n - 1].text,
      encoding: "utf8",
    }).trim();
  return JSON.parse(JSON.stringify(meta), (_key, value) => {
    const [, kind, n] = /^\$(phase|hash):(\d+)$/.exec(value) ?? [];
    if (kind === undefined) return value;
    return kind === "hash" ? store(n) : { hash: store(n), title: phases[n - 1].title };
  });
}
