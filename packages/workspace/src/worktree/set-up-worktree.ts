import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Repository } from "../repository/find-repository.ts";
import { copyIncluded } from "./copy-included.ts";

export type Setup = {
  /** Has the `.worktreeinclude` and the ignored files. */
  from: Repository;
  worktree: Pick<Repository, "workTree">;
  /** A program and its arguments; null: `.uncaged/setup` of the worktree, if it is there. */
  command: readonly string[] | null;
  env: Readonly<NodeJS.ProcessEnv>;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 900_000;
const SHOWN_CHARS = 2_000;

/** Makes a new worktree ready to work in: copies what `.worktreeinclude` names, then runs the repository's setup, for
 *  example to install dependencies. `SETUP_FAILED`, with the end of what it printed; what it did stays. */
export async function setUpWorktree({
  from,
  worktree: { workTree },
  command,
  env,
  signal,
}: Setup): Promise<Result<void, Failure>> {
  const copied = await copyIncluded(from, { workTree });
  if (!copied.ok) return copied;
  const [program, ...args] = command ?? ownSetup(workTree);
  if (program === undefined) return ok(undefined);
  const { execa } = await import("execa");
  const result = await execa(program, args, {
    cwd: workTree,
    env,
    extendEnv: false,
    reject: false,
    stdin: "ignore",
    all: true,
    killDescendants: true,
    timeout: TIMEOUT_MS,
    ...(signal === undefined ? {} : { cancelSignal: signal }),
  });
  if (!result.failed) return ok(undefined);
  const said = (result.all ?? "").slice(-SHOWN_CHARS);
  return err(
    failure(
      "SETUP_FAILED",
      `the setup of ${workTree} failed: ${result.shortMessage}${said === "" ? "" : `\n${said}`}`,
      "mend the setup, then do the same again: the worktree stays",
    ),
  );
}

function ownSetup(workTree: string): string[] {
  const file = join(workTree, ".uncaged", "setup");
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return [];
  try {
    accessSync(file, constants.X_OK);
    return [file];
  } catch {
    return ["sh", file];
  }
}
