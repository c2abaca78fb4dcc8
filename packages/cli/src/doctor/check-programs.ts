/** Checks the programs that everything else needs. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Check, type DoctorContext, fine, wrong } from "./check.ts";

/** An older Node would not have come this far; this only shows which one it is. */
export function checkNode(): Check {
  return fine("node", `Node ${process.versions.node} (${process.execPath})`);
}

export async function checkGit({ env }: DoctorContext): Promise<Check> {
  try {
    const { stdout } = await promisify(execFile)("git", ["--version"], { env, timeout: 10_000 });
    return fine("git", stdout.trim());
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return wrong(
      "git",
      `git does not run: ${reason}`,
      "install git, or put it on PATH: workflows that change code need it",
    );
  }
}
