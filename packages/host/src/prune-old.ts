import { type Engine, pruneThreads } from "@uncaged/workflow-execute";
import { WorkflowError } from "@uncaged/workflow-protocol";
import { readSettings } from "@uncaged/workflow-register";

/** Ages are in days: an hour more or less does not matter. */
const PRUNE_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Removes finished threads that are older than `config.retention` allows: at the first look, then every hour. The
 *  configuration is read each time. Throws `CONFIG_INVALID` when it cannot be read. */
export function pruneOld(
  engine: Engine,
  say: (line: string) => void,
  monotonicMs: () => number = () => performance.now(),
): { look: () => Promise<void> } {
  let next = 0;
  return {
    look: async () => {
      if (monotonicMs() < next) return;
      next = monotonicMs() + PRUNE_EVERY_MS;
      const settings = await readSettings(engine.root);
      if (!settings.ok) throw new WorkflowError(settings.error);
      const { retentionDays } = settings.value;
      if (retentionDays === null) return;
      const pruned = await pruneThreads(engine, retentionDays * DAY_MS);
      const gone = pruned.filter(({ result }) => result.ok).length;
      const threads = gone === 1 ? "thread" : "threads";
      if (gone > 0)
        say(`removed ${gone} ${threads} that ended more than ${retentionDays} days ago`);
      // A thread that somebody is reading or removing is left for the next time.
      for (const { threadId, result } of pruned)
        if (!result.ok) say(`thread ${threadId} was not removed: ${result.error.message}`);
    },
  };
}
