/** The built command, as a user starts it: its own process, its own storage root, an empty home. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const COMMAND = fileURLToPath(
  new URL("bin/uncaged-workflow.mjs", import.meta.resolve("@uncaged/cli-workflow/package.json")),
);

/** Milliseconds from start to exit of `node <args>`, and what it wrote. Throws when it failed. */
export function timedNode(args, { root }) {
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: root, WORKFLOW_STORAGE_ROOT: root },
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 256 * 1024 * 1024,
    encoding: "utf8",
  });
  const tookMs = performance.now() - startedAt;
  if (status !== 0) throw new Error(`${args.join(" ")}: exit ${status}\n${stderr}`);
  return { tookMs, stdout };
}

/** Runs each case once a round, one after the other, so that a busy moment hits all of them alike. Gives
 *  the milliseconds of each case, a list in the order of rounds. `check` throws for a wrong output. */
export function timedRounds(cases, rounds) {
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, { args, root, check }] of Object.entries(cases)) {
      const { tookMs, stdout } = timedNode(args, { root });
      check(stdout);
      times[name].push(tookMs);
    }
  }
  return times;
}
