import { userInfo } from "node:os";
import { openTasks } from "@uncaged/workflow-execute";
import { taskSettings, workThreads } from "@uncaged/workflow-host";
import { err, type Failure, failure, type Result } from "@uncaged/workflow-protocol";
import { readSettings, type TaskDefaults } from "@uncaged/workflow-register";
import { followThread, openDesk, type TaskDesk, type WorkThreads } from "@uncaged/workflow-tasks";
import { storageRoot } from "@uncaged/workflow-util";
import { findRepository } from "@uncaged/workflow-workspace";
import type { Io } from "../command/io.ts";
import { stepStore } from "../command/step-store.ts";
import { withEngine } from "../command/with-engine.ts";
import { writeText } from "../command/write-text.ts";
import { styleOf } from "../terminal/style.ts";

/** Provides the tasks of the repository that the command is called in. `who`: the name given with `--as`. In a sandbox, where
 *  the storage root is covered, there are no settings: what needs them calls `demandRoot` first. */
export async function withDesk<T>(
  io: Io,
  who: string | null,
  use: (desk: TaskDesk, defaults: TaskDefaults) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const found = await findRepository(io.cwd);
  if (!found.ok) return found;
  if (found.value === null) return err(noRepository(io.cwd));
  const root = storageRoot(io.env);
  const settings = await readSettings(root);
  if (!settings.ok) return settings;
  const { tasks: defaults } = settings.value;
  const lent = stepStore(io.env);
  const store =
    lent === null
      ? await openTasks(root)
      : await (await import("./step-tasks.ts")).stepTasks(lent, found.value, io.env);
  const { dim } = styleOf(io.stderr);
  try {
    const desk = await openDesk({
      store,
      repository: found.value,
      settings: taskSettings(defaults),
      who,
      user: io.env.USER || userInfo().username,
      env: io.env,
      now: io.now,
      say: (line) => void writeText(io.stderr, `${dim(line)}\n`),
    });
    if (!desk.ok) return desk;
    if (lent === null) await followThreads(desk.value, io);
    return await use(desk.value, defaults);
  } finally {
    await store.close();
  }
}

/** Provides threads that do the work of tasks. */
export function withThreads<T>(io: Io, use: (threads: WorkThreads) => Promise<T>): Promise<T> {
  return withEngine(io, (engine) => use(workThreads(engine, io.interruption())));
}

/** Whoever looks at tasks from outside sees what their threads have come to, whether a host is up or not. What cannot be
 *  done now is said, and holds nothing up. */
async function followThreads(desk: TaskDesk, io: Io): Promise<void> {
  if (desk.context !== null) return;
  const tasks = await desk.store.list(desk.place.repository.commonDir);
  const followed = tasks.filter(({ workflow, state, thread }) =>
    state === "FAILED"
      ? thread !== null
      : workflow !== null && ["ASSIGNED", "WORKING"].includes(state),
  );
  if (followed.length === 0) return;
  await withThreads(io, async (threads) => {
    for (const task of followed) {
      const now = await followThread(desk, threads, task);
      if (!now.ok) desk.say(`${task.id}: ${now.error.message}`);
    }
  });
}

function noRepository(folder: string): Failure {
  return failure(
    "GIT_FAILED",
    `${folder} is in no work tree of a git repository`,
    "change to the repository whose tasks are meant",
  );
}
