import { spawn } from "node:child_process";
import { DevError } from "./dev-error.mjs";
import { needsShell } from "./needs-shell.mjs";

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Runs a command to its end and returns its exit code (128 + n after signal n).
 *  Signals go on to the child, so that stopping this process stops the task. */
export function run({ command, args, cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: "inherit",
      shell: needsShell(command),
    });
    const forward = (signal) => child.kill(signal);
    for (const signal of FORWARDED) process.on(signal, forward);
    const settle = () => {
      for (const signal of FORWARDED) process.off(signal, forward);
    };
    child.on("error", (error) => {
      settle();
      reject(new DevError(`cannot start ${command}: ${error.message}`, "Is it installed?"));
    });
    child.on("exit", (code, signal) => {
      settle();
      resolve(code ?? 128 + signalNumber(signal));
    });
  });
}

const signalNumber = (signal) => ({ SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 })[signal] ?? 0;
