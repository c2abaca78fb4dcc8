/** The built command, and other programs, as processes of their own: each is waited for, each has an end. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const PACKAGES_BASE = import.meta.resolve("@uncaged/cli-workflow/package.json");
export const COMMAND = fileURLToPath(new URL("bin/uncaged-workflow.mjs", PACKAGES_BASE));

/** A busy machine may need long; past it something hangs, and the case has fallen short. */
const PATIENCE_MS = 120_000;

/** What a program needs to find, and to be told where its storage is. One thread for files, so that calls
 *  come in the same order in every run. */
function environment(root, env = {}) {
  return {
    PATH: process.env.PATH,
    HOME: root,
    UNCAGED_WORKFLOW_STORAGE_ROOT: root,
    UV_THREADPOOL_SIZE: "1",
    // Compiled code that was kept makes later runs call less than the first.
    NODE_DISABLE_COMPILE_CACHE: "1",
    ...env,
  };
}

/** Runs a program to its end. Returns its exit code, or the signal that ended it, and what it wrote. Throws
 *  when it hangs. `started` is handed the process. */
export function runProgram(
  program,
  args,
  { root, cwd = root, env, started, patienceMs = PATIENCE_MS },
) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const child = spawn(program, args, {
    cwd,
    env: environment(root, env),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const timer = setTimeout(() => {
    endGroup(child.pid);
    reject(new Error(`${program} ${args.join(" ")}: hangs`));
  }, patienceMs);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  child.on("error", reject);
  child.on("close", (code, signal) => {
    clearTimeout(timer);
    resolve({ code, signal, stdout, stderr });
  });
  started?.(child);
  return promise;
}

/** `uncaged-workflow --json …` */
export const runCommand = (args, options) =>
  runProgram(process.execPath, [COMMAND, "--json", ...args], options);

/** The document of a command that must succeed. */
export async function document(args, options) {
  const ran = await runCommand(args, options);
  if (ran.code !== 0) throw new Error(`${args.join(" ")}: exit ${ran.code}: ${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

/** Kills a command after so long. Returns whether it had ended well by then; throws when it had ended otherwise. */
export async function killedAfter(args, { root, afterMs }) {
  const started = (child) => setTimeout(() => child.kill("SIGKILL"), afterMs);
  const { code, signal, stderr } = await runCommand(args, { root, started });
  if (signal === "SIGKILL") return false;
  if (code !== 0) throw new Error(`${args.join(" ")}: exit ${code}: ${stderr}`);
  return true;
}

/** The code of a failure as `--json` tells it; null when there is none, or it has another form. */
export function failureCode({ stderr }) {
  const line = stderr.split("\n").find((each) => each.startsWith('{"error":'));
  if (line === undefined) return null;
  try {
    return JSON.parse(line).error.code;
  } catch {
    return null;
  }
}

function endGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It ended just now.
  }
}
