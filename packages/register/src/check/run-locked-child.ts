/** Starts the locked child on a bundle and returns what it reported, or how it ended without a report.
 *
 *  1. Whatever the bundle does, this resolves within the limits and the child is gone by then.
 *  2. Only lines that carry the token count; any other byte on that channel comes from the bundle.
 *  3. The first reported attempt ends it: anything the bundle says afterwards is ignored. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { parse } from "node:path";
import { fileURLToPath } from "node:url";
import type { HookTargets } from "../externals/external-hooks.ts";
import { type BoundedText, boundedText } from "./bounded-text.ts";
import {
  type ChildOrder,
  type ChildReport,
  MAX_DESCRIPTOR_BYTES,
  REPORT_FD,
} from "./child-report.ts";
import { fairTimer } from "./fair-timer.ts";
import { parseChildReport } from "./parse-child-report.ts";
import { watchMemory } from "./watch-memory.ts";

export type LockedRun = {
  bytes: Uint8Array;
  /** The bundle's location when it will be run; it is imported under that URL. */
  bundleUrl: string;
  hooks: HookTargets;
  /** Folders and links from which the bundle's external packages are read. */
  readable: readonly string[];
  limits: LockedLimits;
};

export type LockedLimits = {
  /** Limit for importing the bundle. */
  importMs: number;
  /** Limit for starting Node before that. */
  startMs: number;
  /** Clock time for each of the two, however busy the machine is; see `fairTimer`. */
  clockMs: number;
  /** For standard output and standard error, each. */
  outputBytes: number;
  /** For JavaScript's own objects. */
  heapMebibytes: number;
  /** For the whole process, including buffers, WebAssembly and Node itself. */
  processMebibytes: number;
};

export const LOCKED_LIMITS: LockedLimits = {
  importMs: 3_000,
  startMs: 10_000,
  clockMs: 60_000,
  outputBytes: 64 * 1024,
  heapMebibytes: 128,
  processMebibytes: 512,
};

export type LockedOutcome =
  | Exclude<ChildReport, { kind: "loading" }>
  | { kind: "too-large" }
  | { kind: "timeout" }
  | { kind: "flooded"; stream: string }
  | { kind: "forged" }
  | { kind: "ended"; exitCode: number | null; signal: string | null; stderr: string };

export async function runLockedChild(run: LockedRun): Promise<LockedOutcome> {
  const order: ChildOrder = {
    token: randomBytes(16).toString("hex"),
    bundleUrl: run.bundleUrl,
    hooks: run.hooks,
  };
  const child = startChild(run);
  const gone = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", () => resolve());
  });
  const end = (): void => {
    child.kill("SIGKILL");
  };
  // If the command exits meanwhile, it ends the child too.
  process.once("exit", end);
  try {
    const outcome = firstOutcome(child, order.token, run.limits);
    giveOrder(child, order, run.bytes);
    return await outcome;
  } finally {
    end();
    await gone;
    process.off("exit", end);
  }
}

// Relative to the package's root, so that it is right when these sources are run as well.
const DIST: string = fileURLToPath(new URL("../../dist/", import.meta.url));
const CHILD: string = fileURLToPath(new URL("../../dist/check/locked-child.js", import.meta.url));

function startChild(run: LockedRun): ChildProcess {
  const node = [
    process.execPath,
    "--permission",
    ...readPermissions([DIST, ...run.readable]),
    "--no-addons",
    "--disable-sigusr1",
    // Node's SQLite can write files despite the permission model.
    "--no-experimental-sqlite",
    "--disable-warning=ExperimentalWarning",
    `--max-old-space-size=${run.limits.heapMebibytes}`,
    CHILD,
  ];
  const words = process.platform === "win32" ? node : ["/bin/sh", "-c", UNDER_LIMITS, ...node];
  const [command = process.execPath, ...args] = words;
  return spawn(command, args, {
    cwd: parse(process.execPath).root,
    env: {},
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
}

/** Node forgets the permission for a link `util` once it has one for `util-agent` next to it (seen on 26). So the
 *  shorter one is passed as a prefix pattern, and before anything else that might split it again. */
function readPermissions(paths: readonly string[]): string[] {
  const given: string[] = [];
  for (const path of [...paths].sort()) {
    if (given.some((known) => known.endsWith("*") && path.startsWith(known.slice(0, -1)))) continue;
    const longer = paths.some(
      (other) => other.startsWith(path) && /^[^/\\]/.test(other.slice(path.length)),
    );
    given.push(longer ? `${path}*` : path);
  }
  return given.map((path) => `--allow-fs-read=${path}`);
}

/** No core file when it runs out of memory, not a byte into any file, and an end even if we are killed while it
 *  spins, when nobody else is left to kill it. */
const UNDER_LIMITS = 'ulimit -c 0; ulimit -f 0; ulimit -t 15; exec "$0" "$@"';

function giveOrder(child: ChildProcess, order: ChildOrder, bytes: Uint8Array): void {
  // A child that died early closed its end; how it ended says more than a broken pipe.
  child.stdin?.on("error", () => {});
  child.stdin?.write(`${JSON.stringify(order)}\n`);
  child.stdin?.end(bytes);
}

/** Resolves with whatever comes first; anything later has no effect. */
function firstOutcome(
  child: ChildProcess,
  token: string,
  limits: LockedLimits,
): Promise<LockedOutcome> {
  const { promise, resolve } = Promise.withResolvers<LockedOutcome>();
  const inTime = (ms: number): (() => void) =>
    fairTimer({
      pid: child.pid,
      ms,
      maxMs: limits.clockMs,
      onOver: () => resolve({ kind: "timeout" }),
    });
  let stopTimer = inTime(limits.startMs);
  const stopWatching = watchMemory(child.pid, {
    maxBytes: limits.processMebibytes * 1024 * 1024,
    onMore: () => resolve({ kind: "too-large" }),
  });
  const onReportLine = (line: string): void => {
    const report = line.startsWith(`${token} `) ? parseChildReport(line.slice(token.length)) : null;
    if (report === null) resolve({ kind: "forged" });
    else if (report.kind !== "loading") resolve(report);
    else {
      stopTimer();
      stopTimer = inTime(limits.importMs);
    }
  };
  const flooded = (stream: string) => (): void => resolve({ kind: "flooded", stream });
  const { outputBytes: maxBytes } = limits;
  boundedText(child.stdout, { maxBytes, onFlood: flooded("standard output") });
  const stderr = boundedText(child.stderr, { maxBytes, onFlood: flooded("standard error") });
  boundedText(child.stdio[REPORT_FD], {
    maxBytes: 2 * MAX_DESCRIPTOR_BYTES,
    onFlood: flooded("the channel of its checker"),
    onLine: onReportLine,
  });
  child.once("close", (code, signal) => resolve(endedWith(code, signal, stderr)));
  child.once("error", (cause) => resolve(endedWith(null, cause.message, stderr)));
  return promise.finally(() => {
    stopTimer();
    stopWatching();
  });
}

function endedWith(
  exitCode: number | null,
  signal: string | null,
  stderr: BoundedText,
): LockedOutcome {
  return { kind: "ended", exitCode, signal, stderr: stderr.text() };
}
