import { writeSync } from "node:fs";
import type { Lease } from "@uncaged/workflow-protocol";
import { killTagged } from "@uncaged/workflow-util";
import { leaseTag } from "../processes/process-tags.ts";
import type { Interruption } from "./interruption.ts";

const WHAT: { readonly [reason in Interruption]: string } = {
  stop: "was stopped",
  kill: "was killed",
  "lease-lost": "was taken over by another process",
};

/** Ends this process, whose main thread does not respond, and everything it started for these threads. It runs on
 *  another thread, so nothing of the main thread can be used, not even to print. */
export async function endStuckProcess(
  leases: readonly { lease: Lease; why: Interruption | null }[],
): Promise<void> {
  const deadline = setTimeout(endOurselves, 10_000);
  try {
    for (const { lease, why } of leases) {
      say(
        `thread ${lease.threadId} ${WHAT[why ?? "stop"]}, and this process did not hear it: ` +
          "what it runs does not yield. It is ended; no finished step is lost.",
      );
      await killTagged({ tag: leaseTag(lease), graceMs: 0 });
    }
  } finally {
    clearTimeout(deadline);
    endOurselves();
  }
}

function endOurselves(): void {
  process.kill(process.pid, "SIGKILL");
}

function say(text: string): void {
  try {
    writeSync(2, `error: ${text} [LEASE_LOST]\n`);
  } catch {
    // Nobody reads it.
  }
}
