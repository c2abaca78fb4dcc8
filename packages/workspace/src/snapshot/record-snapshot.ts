import { err, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { gitFailed, runGit, tryGit } from "../git/run-git.ts";
import { DURABLE } from "./durable.ts";

export type SnapshotRecord = {
  /** Repository that has the tree (`commonDir`). */
  gitDir: string;
  threadId: string;
  tree: string;
  /** First line of the commit's message. */
  message: string;
  atMs: number;
  /** For files that travel; left out: they do not. */
  travels?: {
    /** A commit that is to be behind this one, so that it travels, too; null: none. */
    head: string | null;
    /** Of the owner's lease. */
    fence: number;
  };
};

/** The reference that keeps the snapshots of a thread from `git gc`. */
export const snapshotRef = (threadId: string): string => `refs/uncaged/${threadId}`;

/** Commits a tree as the thread's next, on top of its last, so that `git gc` keeps it and `git log -p` shows what
 *  changed. The same tree as the last is not committed again. Returns the commit. */
export async function recordSnapshot(record: SnapshotRecord): Promise<Result<string, Failure>> {
  for (let attempt = 1; ; attempt += 1) {
    const tip = await snapshotTip(record);
    if (!tip.ok) return tip;
    const head = await missingHead(record, tip.value?.commit ?? null);
    if (!head.ok) return head;
    if (tip.value?.tree === record.tree && head.value.length === 0) return ok(tip.value.commit);
    const parents = [...(tip.value === null ? [] : [tip.value.commit]), ...head.value];
    const commit = await commitTree(record, ...parents);
    if (!commit.ok) return commit;
    // The reference moves last: a crash before leaves a commit that nothing names.
    const moved = await moveRef(record, { from: tip.value?.commit ?? null, to: commit.value });
    if (!moved.ok) return moved;
    if (moved.value.exitCode === 0) return commit;
    // Somebody else moved it: only if it goes on does that say more than "try again".
    if (attempt === ATTEMPTS) return err(gitFailed(["update-ref"], moved.value.stderr));
  }
}

const ATTEMPTS = 3;

/** What the record's commit has to have behind it and its parent has not. */
async function missingHead(
  { gitDir, travels }: SnapshotRecord,
  tip: string | null,
): Promise<Result<string[], Failure>> {
  const head = travels?.head ?? null;
  if (head === null || (tip !== null && (await isIn(gitDir, head, tip)))) return ok([]);
  return ok([head]);
}

/** Puts a commit behind the thread's last one, which keeps its files. */
export async function joinSnapshots({
  commit,
  fence,
  ...place
}: Place & { commit: string; fence: number; atMs: number }): Promise<Result<string, Failure>> {
  const tip = await snapshotTip(place);
  if (!tip.ok) return tip;
  const tree = tip.value?.tree ?? `${commit}^{tree}`;
  const record = { ...place, tree, message: "files of an earlier owner, pushed late" };
  const parents = tip.value === null ? [commit] : [tip.value.commit, commit];
  const joined = await commitTree({ ...record, travels: { head: null, fence } }, ...parents);
  if (!joined.ok) return joined;
  const moved = await moveRef(place, { from: tip.value?.commit ?? null, to: joined.value });
  if (!moved.ok) return moved;
  return moved.value.exitCode === 0 ? joined : err(gitFailed(["update-ref"], moved.value.stderr));
}

/** Gives a thread the snapshots of another, which it was forked from. Does nothing when there are none. */
export async function shareSnapshots(
  gitDir: string,
  { from, to }: { from: string; to: string },
): Promise<Result<null, Failure>> {
  const moved = await moveRef({ gitDir, threadId: to }, { from: null, to: snapshotRef(from) });
  if (!moved.ok) return moved;
  if (moved.value.exitCode === 0) return ok(null);
  const tip = await snapshotTip({ gitDir, threadId: from });
  if (!tip.ok || tip.value === null) return tip.ok ? ok(null) : tip;
  return err(gitFailed(["update-ref"], moved.value.stderr));
}

/** Keeps the files of a thread that came from elsewhere: they hang on commits that nothing names yet. A thread that has
 *  snapshots already keeps those, too. */
export async function keepSnapshots(
  gitDir: string,
  { threadId, tips }: { threadId: string; tips: readonly string[] },
): Promise<Result<null, Failure>> {
  const [first, ...others] = tips;
  if (first === undefined) return ok(null);
  for (let attempt = 1; ; attempt += 1) {
    const tip = await snapshotTip({ gitDir, threadId });
    if (!tip.ok) return tip;
    const from = tip.value?.commit ?? null;
    if (from !== null && others.length === 0 && (await isIn(gitDir, first, from))) return ok(null);
    const tree = `${first}^{tree}`;
    const at = { gitDir, threadId, tree, message: "imported files", atMs: 0 };
    const to =
      from === null && others.length === 0
        ? ok(first)
        : await commitTree(at, ...(from === null ? tips : [from, ...tips]));
    if (!to.ok) return to;
    const moved = await moveRef({ gitDir, threadId }, { from, to: to.value });
    if (!moved.ok) return moved;
    if (moved.value.exitCode === 0) return ok(null);
    // Somebody else imports it at the same time.
    if (attempt === ATTEMPTS) return err(gitFailed(["update-ref"], moved.value.stderr));
  }
}

async function isIn(gitDir: string, commit: string, tip: string): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", commit, tip];
  const asked = await tryGit(args, { scope: { gitDir }, cwd: gitDir });
  return asked.ok && asked.value.exitCode === 0;
}

/** Lets go of a thread's snapshots: the next `git gc` may take what nothing else names. */
export async function dropSnapshots(
  gitDir: string,
  threadId: string,
): Promise<Result<null, Failure>> {
  const args = ["update-ref", "-d", snapshotRef(threadId)];
  const dropped = await runGit(args, { scope: { gitDir }, cwd: gitDir });
  return dropped.ok ? ok(null) : dropped;
}

type Place = Pick<SnapshotRecord, "gitDir" | "threadId">;

/** The last snapshot of a thread; null: there is none. */
export async function snapshotTip({
  gitDir,
  threadId,
}: Place): Promise<Result<{ commit: string; tree: string } | null, Failure>> {
  const args = ["for-each-ref", "--format=%(objectname) %(tree)", snapshotRef(threadId)];
  const listed = await runGit(args, { scope: { gitDir }, cwd: gitDir });
  if (!listed.ok) return listed;
  const [commit = "", tree = ""] = listed.value.trim().split(" ");
  return ok(commit === "" ? null : { commit, tree });
}

function commitTree(
  { gitDir, tree, message, atMs, travels }: SnapshotRecord,
  ...parents: readonly string[]
): Promise<Result<string, Failure>> {
  const date = `@${Math.floor(atMs / 1000)} +0000`;
  return trimmed(
    runGit(["commit-tree", ...parents.flatMap((parent) => ["-p", parent]), tree], {
      scope: { gitDir },
      cwd: gitDir,
      input: travels === undefined ? `${message}\n` : `${message}\n\nFence: ${travels.fence}\n`,
      config: DURABLE,
      env: {
        GIT_AUTHOR_NAME: NAME,
        GIT_AUTHOR_EMAIL: "",
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_NAME: NAME,
        GIT_COMMITTER_EMAIL: "",
        GIT_COMMITTER_DATE: date,
      },
    }),
  );
}

const NAME = "uncaged-workflow";

async function trimmed(run: Promise<Result<string, Failure>>): Promise<Result<string, Failure>> {
  const ran = await run;
  return ran.ok ? ok(ran.value.trim()) : ran;
}

/** To a commit, or what another reference names. Only from the given commit; null: only when there is no such reference. */
function moveRef({ gitDir, threadId }: Place, { from, to }: { from: string | null; to: string }) {
  const config = [...DURABLE, "core.logAllRefUpdates=false"];
  return tryGit(["update-ref", snapshotRef(threadId), to, from ?? ""], {
    scope: { gitDir },
    cwd: gitDir,
    config,
  });
}
