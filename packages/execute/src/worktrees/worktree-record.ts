/** What is known of a git worktree that was made for a thread, or for a member of one of its groups: a file per worktree
 *  in the storage root.
 *
 *  It is written before the worktree is made, and before the thread's row, so that no worktree is without one. It stays as
 *  long as the thread, so that the worktree can be made again. */
import { readdir, rm } from "node:fs/promises";
import {
  failure,
  isThreadId,
  parseJson,
  type StepGroup,
  toJsonObject,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import {
  isErrno,
  makeFolderSync,
  readRegularFile,
  storagePaths,
  writeFileAtomic,
} from "@uncaged/workflow-util";

export type ThreadWorktree = {
  threadId: string;
  /** Place of the member that works there, `<entry>.<index>`; null: the thread itself does. */
  member: string | null;
  /** Git folder that all work trees of the repository share. */
  repository: string;
  objectFormat: "sha1" | "sha256";
  /** Work tree that has the ignored files to copy. */
  from: string;
  path: string;
  branch: string;
  /** Commit on which the branch begins. */
  base: string;
  /** Tree of the files that it begins with; null: those of `base`. */
  files: string | null;
};

export const memberName = ({ entry, index }: Pick<StepGroup, "entry" | "index">): string =>
  `${entry}.${index}`;

const MAX_BYTES = 64 * 1024;

export async function writeWorktree(root: string, worktree: ThreadWorktree): Promise<void> {
  const { workspaces, threadWorktree } = storagePaths(root);
  makeFolderSync(workspaces);
  await writeFileAtomic({
    path: threadWorktree(worktree.threadId, worktree.member),
    data: Buffer.from(`${JSON.stringify({ version: VERSION, ...worktree })}\n`),
    mode: 0o600,
    existing: "replace",
  });
}

const VERSION = 1;

/** null: none was made for it. Throws `STORAGE_FAILED` for a file that is damaged. */
export async function worktreeOf(
  root: string,
  { threadId, member }: Pick<ThreadWorktree, "threadId" | "member">,
): Promise<ThreadWorktree | null> {
  const path = storagePaths(root).threadWorktree(threadId, member);
  const read = await readRegularFile(path, MAX_BYTES);
  if (!read.ok) {
    if (read.error.absent) return null;
    throw damaged(path);
  }
  const worktree = parsed(read.value.toString());
  if (worktree === null) throw damaged(path);
  return worktree;
}

/** Of one thread, or of all; that of a thread before those of its members. */
export async function worktreesIn(root: string, threadId?: string): Promise<ThreadWorktree[]> {
  const found: ThreadWorktree[] = [];
  for (const name of (await namesIn(storagePaths(root).workspaces)).sort()) {
    const [id = "", ...rest] = name.split(".");
    if (rest.at(-1) !== "json" || !isThreadId(id)) continue;
    if (threadId !== undefined && id !== threadId) continue;
    const member = rest.length === 1 ? null : rest.slice(0, -1).join(".");
    const worktree = await worktreeOf(root, { threadId: id, member });
    if (worktree !== null) found.push(worktree);
  }
  return found;
}

export async function forgetWorktree(
  root: string,
  { threadId, member }: Pick<ThreadWorktree, "threadId" | "member">,
): Promise<void> {
  await rm(storagePaths(root).threadWorktree(threadId, member), { force: true });
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (isErrno(thrown, "ENOENT")) return [];
    throw thrown;
  }
}

function parsed(text: string): ThreadWorktree | null {
  const value = toJsonObject(parseJson(text));
  if (value === null || value.version !== VERSION) return null;
  const { threadId, repository, objectFormat, from, path, branch, base } = value;
  const { member = null, files = null } = value;
  if (typeof threadId !== "string" || !isTextOrNull(member) || !isTextOrNull(files)) return null;
  if (typeof repository !== "string" || typeof from !== "string" || typeof path !== "string")
    return null;
  if (typeof branch !== "string" || typeof base !== "string") return null;
  if (objectFormat !== "sha1" && objectFormat !== "sha256") return null;
  return { threadId, member, repository, objectFormat, from, path, branch, base, files };
}

const isTextOrNull = (value: unknown): value is string | null =>
  value === null || typeof value === "string";

function damaged(path: string): WorkflowError {
  return new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `${path} does not say which git worktree was made for a thread`,
      "it was changed by another program; see git worktree list in the repository, and remove the file",
    ),
  );
}
