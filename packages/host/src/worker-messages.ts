/** Between the host and its worker processes. A bundle can write to its side of the channel, too: what arrives from
 *  there is parsed. */
import { parseRunnerReport, type RunnerReport } from "@uncaged/workflow-execute";

export type ToWorker =
  | { kind: "run"; threadId: string }
  /** Is anybody there? */
  | { kind: "ask" };

export type FromWorker =
  /** The thread is owned and its bundle loaded, or it could not be. */
  | { kind: "started"; threadId: string; report: RunnerReport }
  /** The thread rests, or has ended. */
  | { kind: "rests"; threadId: string }
  /** To `ask`. */
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
