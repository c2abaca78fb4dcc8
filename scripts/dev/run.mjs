import { spawn } from "node:child_process";
import { DevError } from "./dev-error.mjs";

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Runs a command to its end and gives its exit code (128 + n after signal n).
 *  Signals go on to the child, so that stopping this process stops the task.
 *  `stdout: "stderr"` keeps our stdout clean for the task itself. */
export function run({ command, args, cwd, env, stdout = "inherit" }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ["inherit", stdout === "stderr" ? 2 : "inherit", "inherit"],
      // Windows starts .cmd shims through its shell only; no argument here comes from elsewhere.
      shell: process.platform === "win32" && command !== process.execPath,
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
