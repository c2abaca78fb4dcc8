import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit, withPlainGitDir } from "@uncaged/workflow-workspace";
import { execa } from "execa";
import type { TaskPlace } from "../git/task-place.ts";
import type { TreeCheck } from "./land-tasks.ts";

const TIMEOUT_MS = 30 * 60_000;
const MAX_OUTPUT = 16 * 1024 * 1024;

/** Runs a shell command on the files of a tree, written where nobody else works, with an empty home. One tree is checked
 *  once. */
export function commandCheck(
  { repository }: Pick<TaskPlace, "repository">,
  { command, env, signal }: { command: string; env: NodeJS.ProcessEnv; signal?: AbortSignal },
): TreeCheck {
  const known = new Map<string, { isGreen: boolean; output: string }>();
  return async ({ tree }) => {
    const before = known.get(tree);
    if (before !== undefined) return ok(before);
    const folder = await mkdtemp(join(tmpdir(), "uwf-check-"));
    try {
      const [workTree, home] = [join(folder, "files"), join(folder, "home")];
      await mkdir(workTree);
      await mkdir(home);
      const written = await writeTree(repository, { tree, workTree });
      if (!written.ok) return written;
      const { PATH, TMPDIR } = env;
      const run = await execa("sh", ["-c", command], {
        cwd: workTree,
        env: { PATH, HOME: home, CI: "true", ...(TMPDIR === undefined ? {} : { TMPDIR }) },
        extendEnv: false,
        reject: false,
        stdin: "ignore",
        all: true,
        killDescendants: true,
        timeout: TIMEOUT_MS,
        maxBuffer: MAX_OUTPUT,
        ...(signal === undefined ? {} : { cancelSignal: signal }),
      });
      signal?.throwIfAborted();
      const why = run.exitCode === undefined ? `${run.shortMessage}\n` : "";
      const verdict = { isGreen: !run.failed, output: `${why}${run.all}` };
      known.set(tree, verdict);
      return ok(verdict);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

async function writeTree(
  { commonDir, objectFormat }: TaskPlace["repository"],
  { tree, workTree }: { tree: string; workTree: string },
): Promise<Result<void, Failure>> {
  const place = { commonDir, objectFormat, workTree, index: null, head: null };
  return withPlainGitDir(place, async (plain) => {
    const written = await runGit(["read-tree", "--reset", "-u", tree], plain);
    return written.ok ? ok(undefined) : written;
  });
}
