import { mkdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { runHost, serviceFile } from "@uncaged/workflow-host";
import {
  DEFAULT_POOL,
  err,
  type Failure,
  failure,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { storageRoot, writeFileAtomic } from "@uncaged/workflow-util";
import { cliVersion } from "../command/cli-version.ts";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { usageError } from "../command/options.ts";

/** Runs the host until it is interrupted. With `--json`, the only document says that it is up. */
export async function hostThreads(io: Io): Promise<Result<Output, Failure>> {
  const root = storageRoot(io.env);
  const signal = io.interruption();
  const say = (line: string): void => void io.stderr.write(`${line}\n`);
  const done = await runHost({
    root,
    packagesBase: import.meta.url,
    signal,
    // It is a worker, too: of threads that need nothing special.
    serving: { pools: [DEFAULT_POOL], labels: [], atOnce: null, version: cliVersion() },
    say,
    onUp: ({ process: { pid }, since }) => {
      const text = io.json
        ? JSON.stringify({ pid, since })
        : `hosting the threads of ${root}, process ${pid}; end it with Ctrl-C, or: uncaged-workflow down`;
      void io.stdout.write(`${text}\n`);
    },
  });
  return done.ok ? ok({ streamed: true }) : done;
}

/** Writes the service file of this user, or prints it. Starts nothing. */
export async function installService(
  { print }: { print: boolean },
  io: Io,
): Promise<Result<Output, Failure>> {
  const file = serviceFile({
    platform: process.platform,
    home: io.env.HOME || homedir(),
    command: [process.execPath, programOf(process.argv), "up"],
    environment: [
      ["WORKFLOW_STORAGE_ROOT", storageRoot(io.env)],
      ["PATH", io.env.PATH ?? ""],
    ],
  });
  if (file === null) return err(noServices());
  const { path, text, start } = file;
  if (print) return ok({ document: { path, text, start }, verbatim: text });
  mkdirSync(dirname(path), { recursive: true });
  await writeFileAtomic({ path, data: text, mode: 0o644, existing: "replace" });
  return ok({
    document: { path, start },
    human: () => `wrote ${path}\nstart it, now and at every login, with:\n  ${start}\n`,
  });
}

/** The running command, whatever link it was called by. */
function programOf([, program]: readonly string[]): string {
  if (program === undefined) throw usageError("this process does not say which command it is");
  return realpathSync(program);
}

function noServices(): Failure {
  return failure(
    "USAGE",
    `no service file is known for ${process.platform}, only for systemd and launchd`,
    "have your system start at login: uncaged-workflow up",
  );
}
