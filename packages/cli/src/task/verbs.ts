/** The verbs that change one task. */
import type { Failure, Result } from "@uncaged/workflow-protocol";
import {
  approveTask,
  beatTask,
  type Cancel,
  cancelTask,
  failTask,
  finishTask,
  requestChanges,
  retryTask,
  type Spawn,
  spawnTask,
  startTask,
} from "@uncaged/workflow-tasks";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { said } from "./shown-task.ts";
import { withDesk } from "./with-desk.ts";

type Said = Promise<Result<Output, Failure>>;

export async function spawn(given: Spawn & { as: string | null }, io: Io): Said {
  const spawned = await withDesk(io, given.as, (desk) => spawnTask(desk, given));
  return said(
    spawned,
    io.now(),
    ({ id, branch, worktree }) =>
      `${id} is ASSIGNED: ${branch} in ${worktree}\nits agent begins there with: uncaged-workflow task start`,
  );
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
  const approved = await withDesk(io, given.as, (desk) => approveTask(desk, given.id));
  return said(
    approved,
    io.now(),
    ({ id, head }) =>
      `${id} is APPROVED at ${head}; let it in with: uncaged-workflow task merge --task ${id}`,
  );
}

export async function changes(
  given: { id: string | null; comment: string | null; as: string | null },
  io: Io,
): Said {
  const asked = await withDesk(io, given.as, (desk) => requestChanges(desk, given));
  return said(asked, io.now(), ({ id }) => `${id} is WORKING again`);
}

export async function cancel(given: Cancel, io: Io): Said {
  const cancelled = await withDesk(io, null, (desk) => cancelTask(desk, given));
  return said(
    cancelled,
    io.now(),
    ({ id, attempt }) =>
      `${id} is FAILED${given.archive ? `; kept under refs/uncaged/archive/${id}/${attempt}` : ""}`,
  );
}

export async function retry(given: { id: string | null }, io: Io): Said {
  const retried = await withDesk(io, null, (desk) => retryTask(desk, given.id));
  return said(
    retried,
    io.now(),
    ({ id, attempt, worktree }) => `${id} is ASSIGNED, attempt ${attempt}: ${worktree}`,
  );
}
