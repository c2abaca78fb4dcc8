import { prunableThreads } from "@uncaged/workflow-execute";
import { EXIT, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { readSettings } from "@uncaged/workflow-register";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../../command/command.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import { usageError } from "../../command/options.ts";
import { withEngine } from "../../command/with-engine.ts";
import { writeText } from "../../command/write-text.ts";
import { remove } from "./rm.ts";

const DAY_MS = 86_400_000;

/** `unchangedMs` null: the configured retention. */
export async function prune(
  { unchangedMs, history, yes }: { unchangedMs: number | null; history: boolean; yes: boolean },
  io: Io,
): Promise<Result<Output, Failure>> {
  const settings = await readSettings(storageRoot(io.env));
  if (!settings.ok) return settings;
  const { retentionDays } = settings.value;
  const oldMs = unchangedMs ?? (retentionDays === null ? null : retentionDays * DAY_MS);
  if (oldMs === null)
    throw usageError(
      "no age was given",
      "give --older-than 30d, or put retention: { days: 30 } under config in workflow.yaml",
    );
  const threads = await withEngine(io, (engine) => prunableThreads(engine, oldMs));
  const ids = threads.map(({ threadId }) => threadId);
  const removed =
    ids.length === 0
      ? ok<Output>({ document: [], human: () => "no thread is old enough" })
      : await remove({ kind: "named", ids, yes }, io);
  if (!history || !removed.ok || (removed.value.exitCode ?? EXIT.success) !== EXIT.success)
    return removed;
  // After the removals, which must be in the history before it can forget them.
  const endedBefore = io.now() - oldMs;
  const forgotten = await withEngine(io, ({ store }) => store.forget({ endedBefore }));
  await writeText(io.stderr, `${count(forgotten, "thread")} removed from the history\n`);
  return removed;
}
