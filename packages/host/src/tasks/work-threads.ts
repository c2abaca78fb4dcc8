import {
  type Engine,
  findVersion,
  killThread,
  lookAtThread,
  startThread,
  threadStep,
} from "@uncaged/workflow-execute";
import { endingOf, leaseOf, ok, type ThreadRecord, unwrap } from "@uncaged/workflow-protocol";
import { readSettings } from "@uncaged/workflow-register";
import type { WorkThreads } from "@uncaged/workflow-tasks";

/** The engine's threads as workers of tasks. `signal`: ends waiting for threads that are being ended. */
export function workThreads(engine: Engine, signal: AbortSignal): WorkThreads {
  return {
    canStart: (workflow) => findVersion(engine, workflow),
    start: async ({ workflow, prompt, cwd, key, task }) => {
      const settings = await readSettings(engine.root);
      if (!settings.ok) return settings;
      const started = await startThread(engine, {
        ...{ workflow, prompt, cwd, startKey: key, limits: null, run: "background" },
        ...{ title: `task ${task}`, labels: { task } },
        pool: settings.value.tasks.taskPool ?? undefined,
        // The worktree of the task is its own, and is on this machine.
        worktree: null,
        staysHere: true,
      });
      return started.ok ? ok(started.value.threadId) : started;
    },
    look: async (threadId) => {
      const seen = await lookAtThread(engine, threadId);
      if (seen === null) return null;
      const ending = endingOf(seen.thread);
      if (ending?.status === "completed")
        return { kind: "completed", isProved: await isProved(engine, seen.thread) };
      if (ending !== null) return { kind: "failed", reason: ending.summary };
      const heartbeatAt = leaseOf(seen.thread)?.heartbeatAt ?? null;
      // What waits for its turn or for a person is not given up.
      const waits = ["queued", "paused", "suspended"].includes(seen.status);
      return { kind: "under way", aliveAt: waits ? engine.now() : heartbeatAt };
    },
    end: async (threadId) => {
      const thread = await engine.store.get(threadId);
      // A thread that cannot be killed has ended on its own.
      if (thread !== null) await killThread(engine, thread, { signal });
    },
  };
}

/** What the last step knows of the files that the thread's last check saw. */
async function isProved(engine: Engine, thread: ThreadRecord): Promise<boolean | null> {
  if (thread.stepCount === 0) return null;
  const { proof } = unwrap(await threadStep(engine, thread, thread.stepCount));
  return proof === undefined ? null : proof.state === "valid";
}
