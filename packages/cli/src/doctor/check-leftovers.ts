import { basename } from "node:path";
import { leftoverFiles, leftoverProcesses } from "@uncaged/workflow-execute";
import { hasIndex } from "@uncaged/workflow-util";
import { count } from "../command/count.ts";
import { withEngine } from "../command/with-engine.ts";
import { type Check, type DoctorContext, fine, wrong } from "./check.ts";

const NAME = "leftovers";
/** Writing a file takes milliseconds; one this old has lost its writer. */
const OLD_MS = 60 * 60 * 1000;
const SHOWN = 5;

/** Checks that no temporary file of a dead writer is left, and no process of a thread without a runner. */
export async function checkLeftovers(context: DoctorContext): Promise<Check> {
  const found = [await leftFiles(context), ...(await leftProcesses(context))].filter(
    (each) => each !== null,
  );
  if (found.length === 0) return fine(NAME, "none");
  const messages = found.map(({ message }) => message);
  return wrong(NAME, messages.join("; "), found.map(({ fix }) => fix).join("; "));
}

type Left = { message: string; fix: string };

async function leftFiles({ root, nowMs }: DoctorContext): Promise<Left | null> {
  const all = await leftoverFiles(root, nowMs - OLD_MS);
  if (all.length === 0) return null;
  const shown = all
    .slice(0, SHOWN)
    .map((path) => basename(path))
    .join(", ");
  return {
    message: `${count(all.length, "temporary file")} of writers that died: ${shown}${all.length > SHOWN ? ", …" : ""}`,
    fix: "uncaged-workflow cas gc",
  };
}

async function leftProcesses({ root, env }: DoctorContext): Promise<Left[]> {
  if (!hasIndex(root)) return [];
  const left = await withEngine({ env }, leftoverProcesses);
  return left.map(({ threadId, pids, command }) => ({
    message: `${processesLeft(pids.length)} of thread ${threadId}, which nobody runs: ${pids.join(", ")}`,
    fix: command,
  }));
}

function processesLeft(n: number): string {
  return `${n} ${n === 1 ? "process" : "processes"}`;
}
