import { userInfo } from "node:os";
import { err, type Failure, failure, type Result } from "@uncaged/workflow-protocol";
import { readSettings, type TaskDefaults } from "@uncaged/workflow-register";
import { openTasks } from "@uncaged/workflow-store";
import { openDesk, type TaskDesk } from "@uncaged/workflow-tasks";
import { storageRoot } from "@uncaged/workflow-util";
import { findRepository } from "@uncaged/workflow-workspace";
import type { Io } from "../command/io.ts";
import { writeText } from "../command/write-text.ts";
import { styleOf } from "../terminal/style.ts";

/** Provides the tasks of the repository that the command is called in. `who`: the name given with `--as`. */
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
  const store = await openTasks(root);
  const { dim } = styleOf(io.stderr);
  try {
    const desk = await openDesk({
      store,
      repository: found.value,
      settings: {
        integration: defaults.integration ?? "main",
        worktrees: defaults.worktrees,
        setup: defaults.setup === null ? null : ["sh", "-c", defaults.setup],
      },
      who,
      user: io.env.USER || userInfo().username,
      env: io.env,
      now: io.now,
      say: (line) => void writeText(io.stderr, `${dim(line)}\n`),
    });
    return desk.ok ? await use(desk.value, defaults) : desk;
  } finally {
    await store.close();
  }
}

function noRepository(folder: string): Failure {
  return failure(
    "GIT_FAILED",
    `${folder} is in no work tree of a git repository`,
    "change to the repository whose tasks are meant",
  );
}
