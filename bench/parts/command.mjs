/** The built command, as a user starts it: its own process, its own storage root, an empty home. */
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const COMMAND = fileURLToPath(
  new URL("bin/uncaged-workflow.mjs", import.meta.resolve("@uncaged/cli-workflow/package.json")),
);

/** Milliseconds from start to exit of `node <args>`, and what it wrote. Throws when it failed. It writes to
 *  a file: a pipe would make it wait for this process to read. */
export function timedNode(args, { root }) {
  mkdirSync(root, { recursive: true });
  const output = join(root, "output");
  const fd = openSync(output, "w");
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: root, WORKFLOW_STORAGE_ROOT: root },
    stdio: ["ignore", fd, "pipe"],
    encoding: "utf8",
  });
  const tookMs = performance.now() - startedAt;
  closeSync(fd);
  if (status !== 0) throw new Error(`${args.join(" ")}: exit ${status}\n${stderr}`);
  return { tookMs, stdout: readFileSync(output, "utf8") };
}

/** Runs each case once a round, one after the other, so that a busy moment hits all of them alike. Returns
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
