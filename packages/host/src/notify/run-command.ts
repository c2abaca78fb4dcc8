/** Notifies a command: the notice is on its stdin, the most important fields are in its environment. */
import { type ChildProcess, spawn } from "node:child_process";
import { err, ok, type PendingNotice } from "@uncaged/workflow-protocol";
import type { Delivery } from "./delivery.ts";

const DONE_WITHIN_MS = 30_000;
const KEPT_CHARS = 500;

export function runCommand(
  [program, ...args]: readonly [string, ...string[]],
  notice: Pick<PendingNotice, "id" | "event" | "threadId" | "workflow" | "body">,
  at: { cwd: string; env: NodeJS.ProcessEnv; signal: AbortSignal },
): Delivery {
  const { promise, resolve } = Promise.withResolvers<Awaited<Delivery>>();
  const child = spawn(program, args, {
    cwd: at.cwd,
    env: { ...at.env, ...variables(notice) },
    stdio: ["pipe", "ignore", "pipe"],
    // In a separate process group, so that all of it can be ended.
    detached: true,
  });
  let said = "";
  const end = (why: string) => (): void => {
    said = why;
    killGroup(child);
  };
  const tooLong = setTimeout(end(`not done within ${DONE_WITHIN_MS / 1_000} s`), DONE_WITHIN_MS);
  const stop = end("the host ended");
  at.signal.addEventListener("abort", stop, { once: true });
  const settle = (outcome: Awaited<Delivery>): void => {
    clearTimeout(tooLong);
    at.signal.removeEventListener("abort", stop);
    // Processes that it left running may keep the pipe open.
    child.stderr.destroy();
    resolve(outcome);
  };
  const failed = (fault: string): void => settle(err({ fault, retryAfterMs: null }));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = `${said}${text}`.slice(-KEPT_CHARS);
  });
  // A command need not read its stdin.
  child.stdin.on("error", () => undefined);
  child.stdin.end(notice.body);
  child.once("error", (cause) => failed(cause.message));
  child.once("exit", (code, signal) => {
    if (code === 0) settle(ok(null));
    else failed([`it ended with ${signal ?? code}`, said.trim()].filter(Boolean).join(": "));
  });
  return promise;
}

function variables({
  id,
  event,
  threadId,
  workflow,
}: Pick<PendingNotice, "id" | "event" | "threadId" | "workflow">): Record<string, string> {
  return {
    UNCAGED_NOTICE_ID: id,
    UNCAGED_NOTICE_EVENT: event,
    UNCAGED_THREAD_ID: threadId,
    UNCAGED_WORKFLOW: workflow,
  };
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process has ended.
  }
}
