/** The verbs that change one task. */
import type { Failure, Result, Task } from "@uncaged/workflow-protocol";
import {
  approveTask,
  beatTask,
  type Cancel,
  cancelTask,
  failTask,
  finishTask,
  followThread,
  requestChanges,
  retryTask,
  type Spawn,
  spawnTask,
  startTask,
  type TaskDesk,
} from "@uncaged/workflow-tasks";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { demandRoot } from "../command/step-store.ts";
import { callingStep } from "./calling-step.ts";
import { said } from "./shown-task.ts";
import { withDesk, withThreads } from "./with-desk.ts";

type Said = Promise<Result<Output, Failure>>;

export async function spawn(given: Spawn & { as: string | null }, io: Io): Said {
  demandRoot(io);
  const spawned = await withDesk(io, given.as, (desk) =>
    given.workflow === null ? spawnTask(desk, given) : spawnWithThread(desk, given, io),
  );
  return said(spawned, io.now(), ({ id, state, branch, worktree, thread }) =>
    thread === null
      ? `${id} is ${state}: ${branch} in ${worktree}\nits agent begins there with: uncaged-workflow task start`
      : `${id} is ${state}: ${branch} in ${worktree}\nits thread: uncaged-workflow live ${thread}`,
  );
}

function spawnWithThread(desk: TaskDesk, given: Spawn, io: Io): Promise<Result<Task, Failure>> {
  return withThreads(io, async (threads) => {
    // Before there is a task that nobody can work on.
    const known = await threads.canStart(given.workflow ?? "");
    if (!known.ok) return known;
    const spawned = await spawnTask(desk, given);
    return spawned.ok ? followThread(desk, threads, spawned.value) : spawned;
  });
}

export async function start(given: { id: string | null; as: string | null }, io: Io): Said {
  const started = await withDesk(io, given.as, (desk) => startTask(desk, given.id));
  return said(started, io.now(), ({ id, description }) => `${id} is WORKING\n${description}`);
}

export async function heartbeat(
  given: { id: string | null; progress: number | null },
  io: Io,
): Said {
  const beat = await withDesk(io, null, (desk) => beatTask(desk, given));
  return said(beat, io.now(), ({ id, state }) => `${id} is ${state}`);
}

export async function done(given: { id: string | null; skipRebase: boolean }, io: Io): Said {
  const finished = await withDesk(io, null, (desk) => finishTask(desk, given));
  return said(finished, io.now(), ({ id, state, head }) => `${id} is ${state} with ${head}`);
}

export async function fail(given: { id: string | null; reason: string }, io: Io): Said {
  const failed = await withDesk(io, null, (desk) => failTask(desk, given));
  return said(failed, io.now(), ({ id, note }) => `${id} is FAILED: ${note}`);
}

export async function approve(given: { id: string | null; as: string | null }, io: Io): Said {
  const approved = await withDesk(io, given.as, async (desk, defaults) =>
    approveTask(desk, { id: given.id, step: await callingStep(io, defaults) }),
  );
  return said(
    approved,
    io.now(),
    ({ id, head }) =>
      `${id} is APPROVED at ${head}; let it in with: uncaged-workflow task merge ${id}`,
  );
}

export async function changes(
  given: { id: string | null; comment: string | null; as: string | null },
  io: Io,
): Said {
  const asked = await withDesk(io, given.as, async (desk, defaults) =>
    requestChanges(desk, { ...given, step: await callingStep(io, defaults) }),
  );
  return said(asked, io.now(), ({ id }) => `${id} is WORKING again`);
}

export async function cancel(given: Cancel, io: Io): Said {
  demandRoot(io);
  const cancelled = await withDesk(io, null, (desk) => cancelTask(desk, given));
  return said(
    cancelled,
    io.now(),
    ({ id, attempt }) =>
      `${id} is FAILED${given.archive ? `; kept under refs/uncaged/archive/${id}/${attempt}` : ""}`,
  );
}

export async function retry(given: { id: string | null }, io: Io): Said {
  demandRoot(io);
  const retried = await withDesk(io, null, (desk) => retryTask(desk, given.id));
  return said(
    retried,
    io.now(),
    ({ id, attempt, worktree }) => `${id} is ASSIGNED, attempt ${attempt}: ${worktree}`,
  );
}
