/** Sends requests to the host of a storage root, over its socket. */
import { connect } from "node:net";
import { runningHost } from "../processes/host-file.ts";
import { type HostRequest, type HostState, linesOf, parseHostState } from "./host-messages.ts";
import { parseRunnerReport, type RunnerReport } from "./runner-report.ts";

/** A host answers within milliseconds; one that does not is stopped, or about to end. */
const TAKEN_WITHIN_MS = 5_000;
/** As for a runner: loading a large bundle on a busy machine takes seconds, never this long. */
const READY_WITHIN_MS = 60_000;

/** Hands a thread to the host. null: no host is up, it does not answer, or it does not want the thread. */
export async function handToHost(root: string, threadId: string): Promise<RunnerReport | null> {
  let isTaken = false;
  for await (const reply of ask(root, { kind: "run", threadId })) {
    if (reply.kind === "declined") return null;
    if (isTaken || reply.kind !== "taken") return parseRunnerReport(reply.message);
    isTaken = true;
    reply.waitFor(READY_WITHIN_MS);
  }
  // A host that has ended meanwhile owns nothing any more; a thread that it did take has a lease that shows it.
  return null;
}

/** Tells the host, if there is one, that something new is in the queue. It also looks on its own, but later. */
export async function wakeHost(root: string): Promise<void> {
  await ask(root, { kind: "look" }).next();
}

/** What the host carries; null: no host is up, or it does not answer. */
export async function hostState(root: string): Promise<HostState | null> {
  for await (const { message } of ask(root, { kind: "status" })) return parseHostState(message);
  return null;
}

type Reply = {
  kind: unknown;
  message: unknown;
  /** How long to wait for the next message, in place of the time for the first one. */
  waitFor: (ms: number) => void;
};

/** Ends with the connection. */
async function* ask(root: string, request: HostRequest): AsyncGenerator<Reply, void> {
  const host = runningHost(root);
  if (host === null) return;
  const socket = connect(host.socket);
  const waitFor = (ms: number): void => {
    socket.setTimeout(ms, () => socket.destroy());
  };
  waitFor(TAKEN_WITHIN_MS);
  try {
    socket.write(`${JSON.stringify(request)}\n`);
    for await (const line of linesOf(socket)) {
      const message: unknown = JSON.parse(line);
      const { kind }: { kind?: unknown } = Object(message);
      yield { kind, message, waitFor };
    }
  } catch {
    // Nothing listens there any more, or something other than a host does.
  } finally {
    socket.destroy();
  }
}
