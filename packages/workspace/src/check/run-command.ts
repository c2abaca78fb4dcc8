import type { Readable } from "node:stream";
import { PROCESS_TAG_ENV } from "@uncaged/workflow-protocol";
import { captureOutput, killTagged, randomTag, redactor } from "@uncaged/workflow-util";
import { type CheckPlaces, checkEnvironment } from "./check-environment.ts";
import type { Checkout } from "./checkout.ts";
import { findSandbox } from "./sandbox.ts";

export type CommandOptions = CheckPlaces & {
  timeoutMs: number;
  network: boolean;
  /** What the run is not to see, where the sandbox can hide it. */
  hidden: readonly string[];
  /** What it may read below that. */
  kept: readonly string[];
  /** By which another process finds the run's processes. */
  tag?: string | undefined;
  signal?: AbortSignal | undefined;
};

export type CommandEnd = {
  exitCode: number | null;
  timedOut: boolean;
  durationMs: number;
  output: string;
};

const MAX_OUTPUT_BYTES = 64 * 1024;
/** For what was written before the end. */
const MAX_DRAIN_MS = 2_000;

/** Runs a command in a checkout, and ends every process of it. Rejects with the signal's reason when that aborts. */
export async function runCommand(
  command: readonly string[],
  checkout: Checkout,
  options: CommandOptions,
): Promise<CommandEnd> {
  const { timeoutMs, network, hidden, signal } = options;
  const kept = [...options.kept, ...(options.path ?? [])];
  signal?.throwIfAborted();
  const sandbox = await findSandbox();
  const place = { folder: checkout.folder, cwd: checkout.files, hidden, kept, network };
  const [program = "", ...args] = sandbox.wrap(command, place);
  const tag = options.tag ?? `check:${randomTag(16)}`;
  const started = performance.now();
  const { execa } = await import("execa");
  const child = execa(program, args, {
    cwd: checkout.files,
    env: { ...checkEnvironment(options, checkout.folder), [PROCESS_TAG_ENV]: tag },
    extendEnv: false,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    buffer: false,
    reject: false,
    detached: true,
    cleanup: true,
  });
  const { nodeChildProcess, pid } = child;
  if (pid === undefined) {
    const refused = await child;
    const output = refused.originalMessage ?? `${command[0]} could not be started`;
    return { exitCode: 127, timedOut: false, durationMs: 0, output };
  }
  const output = captureOutput(MAX_OUTPUT_BYTES);
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Uint8Array) => output.push(chunk));
  const exited = new Promise<number | null>((resolve) =>
    nodeChildProcess.once("exit", (exitCode) => resolve(exitCode)),
  );
  let timedOut = false;
  const end = (): Promise<unknown> => killTagged({ tag, leaders: [pid], graceMs: 0 });
  const timer = setTimeout(() => {
    timedOut = true;
    void end();
  }, timeoutMs);
  const onAbort = (): void => void end();
  signal?.addEventListener("abort", onAbort, { once: true });
  const exitCode = await exited;
  clearTimeout(timer);
  signal?.removeEventListener("abort", onAbort);
  // What it left behind could still change files, and holds its output open.
  await end();
  await untilDrained(child, MAX_DRAIN_MS);
  signal?.throwIfAborted();
  const text = output.result().text.replaceAll(checkout.files, ".");
  const clean = redactor({ env: process.env })(text);
  return { exitCode, timedOut, durationMs: performance.now() - started, output: clean };
}

/** Waits until nobody has the output of an ended program open, but no longer than this: a process that escaped the kill may
 *  keep it open for ever. */
export async function untilDrained(
  child: PromiseLike<unknown> & { stdout: Readable; stderr: Readable },
  withinMs: number,
): Promise<void> {
  const timer = setTimeout(() => {
    child.stdout.destroy();
    child.stderr.destroy();
  }, withinMs);
  await child;
  clearTimeout(timer);
}
