/** Starts the simulations. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const folder = fileURLToPath(new URL("../simulation", import.meta.url));

export function simulate(args, env) {
  return play(["--import", "./parts/hooks.mjs", "simulate.mjs", ...args], env);
}

export function simulateQueue(args, env) {
  return play(["--import", "./parts/queue-hooks.mjs", "queue.mjs", ...args], env);
}

export function simulateShared(args, env) {
  return play(["--import", "./parts/shared-hooks.mjs", "shared.mjs", ...args], env);
}

/** `{ code, stdout, stderr }` of it. */
async function play(words, env = {}) {
  const options = { cwd: folder, env: { ...process.env, ...env } };
  const ended = promisify(execFile)(process.execPath, words, options);
  return ended.then(
    ({ stdout }) => ({ code: 0, stdout, stderr: "" }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}
