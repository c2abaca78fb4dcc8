/** A server that lives no longer than this process. */
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 60_000;
const END_MS = 5_000;
const LOOK_EVERY_MS = 50;

/** Starts it in `folder`, where its log goes too, and waits until `isReady`. `stop` ends it and waits. */
export async function startServer({ command, args, env = {}, user = {}, folder, isReady }) {
  const log = join(folder, "server.log");
  const fd = openSync(log, "w");
  const server = spawn(command, args, {
    ...user,
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", fd, fd],
  });
  closeSync(fd);
  const gone = new Promise((resolve) => {
    server.once("exit", resolve);
    server.once("error", resolve);
  });
  process.once("exit", () => server.kill("SIGKILL"));
  const startedAt = performance.now();
  while (!(await isReady())) {
    const isGone = server.pid === undefined || server.exitCode !== null;
    if (isGone || performance.now() - startedAt > PATIENCE_MS)
      throw new Error(`${command} did not start:\n${readFileSync(log, "utf8")}`);
    await sleep(LOOK_EVERY_MS);
  }
  return {
    /** SIGINT is how both kinds of server are told to end at once, with their own processes. */
    async stop() {
      server.kill("SIGINT");
      const late = setTimeout(() => server.kill("SIGKILL"), END_MS);
      await gone;
      clearTimeout(late);
    },
  };
}
