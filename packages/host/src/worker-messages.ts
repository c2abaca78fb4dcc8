/** Messages between the host and its worker processes. A bundle can write to its side of the channel, too: what
 *  arrives from there is parsed. */
import { parseRunnerReport, type RunnerReport } from "@uncaged/workflow-execute";

export type ToWorker =
  | { kind: "run"; threadId: string }
  /** Its threads go on elsewhere: before their next steps, or at once. */
  | { kind: "hand over"; when: "soon" | "now" }
  /** Asks whether the worker responds. */
  | { kind: "ask" };

export type FromWorker =
  /** The thread is owned and its bundle loaded, or that failed. */
  | { kind: "started"; threadId: string; report: RunnerReport }
  /** The thread has come to rest or has ended. */
  | { kind: "rests"; threadId: string }
  /** Reply to `ask`. */
  | { kind: "here" };

/** null: not a message of ours. */
export function parseFromWorker(message: unknown): FromWorker | null {
  const { kind, threadId, report }: { kind?: unknown; threadId?: unknown; report?: unknown } =
    Object(message);
  if (kind === "here") return { kind };
  if (typeof threadId !== "string") return null;
  if (kind === "rests") return { kind, threadId };
  return kind === "started" ? { kind, threadId, report: parseRunnerReport(report) } : null;
}
