import { spawn } from "node:child_process";
import { needsShell } from "./needs-shell.mjs";

/** Runs a program to its end: `code` as in a shell, `ok` when that is 0, and all that
 *  the program wrote, in order. */
export function captured({ command, args, cwd, env }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      shell: needsShell(command),
    });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    child.on("error", (error) =>
      resolve({ ok: false, code: 127, output: `${command}: ${error.message}` }),
    );
    child.on("close", (code) =>
      resolve({ ok: code === 0, code: code ?? 1, output: Buffer.concat(chunks).toString("utf8") }),
    );
  });
}
