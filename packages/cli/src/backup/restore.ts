import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Restored, restoreBackup } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import { count } from "../command/count.ts";
import type { Io } from "../command/io.ts";
import { shellWord } from "../command/shell-word.ts";
import { withProgress } from "../command/with-progress.ts";
import { isoSeconds } from "../terminal/times.ts";

export async function restoreFrom(path: string, io: Io): Promise<Result<Output, Failure>> {
  const root = storageRoot(io.env);
  const file = resolve(io.cwd, path);
  const done = await withProgress(io, "checking and restoring", () =>
    restoreBackup({ file, root, nowMs: io.now() }),
  );
  if (!done.ok) return done;
  const { threads, blobs, createdAt } = done.value;
  return ok({
    document: done.value,
    human: ({ dim }) =>
      [
        done.value.root,
        dim(`${count(threads, "thread")}, ${count(blobs, "blob")}, as of ${isoSeconds(createdAt)}`),
        ...nextSteps(done.value),
      ].join("\n"),
  });
}

function nextSteps({ root, paused }: Restored): string[] {
  const packages = existsSync(join(root, "package.json"))
    ? [`install its packages: npm ci --ignore-scripts --prefix ${shellWord(root)}`]
    : [];
  const keys = existsSync(join(root, ".env"))
    ? []
    : ["put back your .env if you had one: it was not in the backup"];
  return [
    ...packages,
    ...keys,
    ...resumed("schedule", paused.schedules),
    ...resumed("trigger", paused.triggers),
  ];
}

function resumed(kind: "schedule" | "trigger", names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const which = names.length === 1 ? `the ${kind} ${names[0]} is` : `${names.length} ${kind}s are`;
  return [
    `${which} paused; once the root that was backed up is no longer in use: uncaged-workflow ${kind} resume ${names.length === 1 ? names[0] : "<name>"}`,
  ];
}
