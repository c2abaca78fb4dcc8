/** The messages on a host's socket: one request per connection, each message one line of JSON. Each side parses what
 *  it reads, because the two may be of different versions. */
import { parseJson } from "@uncaged/workflow-protocol";
import type { RunnerReport } from "./runner-report.ts";

/** `run`: take this thread and run it until it rests. `look`: there is something new in the queue. */
export type HostRequest = { kind: "run"; threadId: string } | { kind: "look" } | { kind: "status" };

export type HostReply =
  /** The host tries; a `RunnerReport` follows. */
  | { kind: "taken" }
  /** Nothing was done: the caller has to run the thread itself. */
  | { kind: "declined" }
  | RunnerReport
  | ({ kind: "status" } & HostState);

export type HostState = {
  workers: {
    /** Version of a workflow that the worker runs. */
    bundleHash: string;
    pid: number | null;
    /** Unix milliseconds. */
    since: number;
    threads: number;
  }[];
  /** Versions that ended their worker too often. The host takes up none of their threads. */
  resting: { bundleHash: string; reason: string }[];
};

/** null: not a request. */
export function parseHostRequest(line: string): HostRequest | null {
  const { kind, threadId } = fieldsOf(parseJson(line));
  if (kind === "status" || kind === "look") return { kind };
  return kind === "run" && typeof threadId === "string" ? { kind, threadId } : null;
}

/** null: not the state of a host that we understand. */
export function parseHostState(message: unknown): HostState | null {
  const { kind, workers, resting } = fieldsOf(message);
  if (kind !== "status" || !Array.isArray(workers) || !Array.isArray(resting)) return null;
  return {
    workers: workers
      .map(fieldsOf)
      .flatMap(({ bundleHash, pid, since, threads }) =>
        typeof bundleHash === "string" && typeof since === "number" && typeof threads === "number"
          ? [{ bundleHash, pid: typeof pid === "number" ? pid : null, since, threads }]
          : [],
      ),
    resting: resting
      .map(fieldsOf)
      .flatMap(({ bundleHash, reason }) =>
        typeof bundleHash === "string" && typeof reason === "string"
          ? [{ bundleHash, reason }]
          : [],
      ),
  };
}

/** Far longer than any of our messages. */
const LONGEST_LINE = 1024 * 1024;

/** Throws when a line is too long. What follows the last end of a line is dropped. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, undefined> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    if (rest.length > LONGEST_LINE) throw new Error("a line is too long");
  }
  return undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value);
}
