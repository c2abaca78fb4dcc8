/** Branches that several share: read, and moved only from what was read. Nothing of the user's remote-tracking refs is
 *  touched. */
import { setTimeout as sleep } from "node:timers/promises";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { gitFailed, runGit, tryGit } from "@uncaged/workflow-workspace";
import type { TaskPlace } from "./task-place.ts";

/** Where a branch is that others see: on the remote if there is one. */
export type BranchMove = {
  branch: string;
  /** The commit it was at; null: it must not exist. */
  from: string | null;
  /** null: it is deleted. */
  to: string | null;
};

/** The commit of a branch, with its objects; null: there is no such branch. */
export function sharedBranch(
  place: TaskPlace,
  branch: string,
): Promise<Result<string | null, Failure>> {
  return place.remote === null
    ? localBranch(place, branch)
    : remoteBranch(place, place.remote, branch);
}

/** `moved`: somebody else was first, and nothing was changed. */
export function moveSharedBranch(
  place: TaskPlace,
  move: BranchMove,
): Promise<Result<"done" | "moved", Failure>> {
  return place.remote === null
    ? moveLocalBranch(place, move)
    : moveRemoteBranch(place, place.remote, move);
}

export async function localBranch(
  { local }: TaskPlace,
  branch: string,
): Promise<Result<string | null, Failure>> {
  const args = ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`];
  const asked = await tryGit(args, local);
  if (!asked.ok) return asked;
  return ok(asked.value.exitCode === 0 ? asked.value.stdout.trim() : null);
}

export async function moveLocalBranch(
  place: TaskPlace,
  { branch, from, to }: BranchMove,
): Promise<Result<"done" | "moved", Failure>> {
  const ref = `refs/heads/${branch}`;
  const args =
    to === null ? ["update-ref", "-d", ref, from ?? ""] : ["update-ref", ref, to, from ?? ""];
  const run = await tryGit(args, place.local);
  if (!run.ok) return run;
  if (run.value.exitCode === 0) return ok("done");
  const now = await localBranch(place, branch);
  return now.ok ? afterwards({ now: now.value, from, to }, gitFailed(args, run.value.stderr)) : now;
}

async function remoteBranch(
  place: TaskPlace,
  url: string,
  branch: string,
): Promise<Result<string | null, Failure>> {
  for (let tries = 3; ; tries -= 1) {
    const tip = await remoteTip(place, url, branch);
    if (!tip.ok || tip.value === null || (await has(place, tip.value))) return tip;
    // No ref is written, so that any number may fetch at once.
    const args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--refmap="];
    const fetched = await tryGit([...args, "--", url, `refs/heads/${branch}`], place.network);
    if (!fetched.ok) return fetched;
    if (await has(place, tip.value)) return tip;
    if (tries === 1)
      return err(gitFailed(args, fetched.value.stderr || "the branch moves too fast"));
  }
}

async function remoteTip(
  { network }: TaskPlace,
  url: string,
  branch: string,
): Promise<Result<string | null, Failure>> {
  const ref = `refs/heads/${branch}`;
  const listed = await patiently(["ls-remote", "--quiet", "--", url, ref], network);
  if (!listed.ok) return listed;
  const line = listed.value.split("\n").find((each) => each.endsWith(`\t${ref}`));
  return ok(line?.split("\t")[0] ?? null);
}

/** Whether the clone has a commit. What only the shared branch has is fetched. */
export async function hasCommit(
  place: TaskPlace,
  commit: string,
  branch: string,
): Promise<Result<boolean, Failure>> {
  if (await has(place, commit)) return ok(true);
  const fetched = await sharedBranch(place, branch);
  return fetched.ok ? ok(await has(place, commit)) : fetched;
}

async function has({ local }: TaskPlace, commit: string): Promise<boolean> {
  const asked = await tryGit(["cat-file", "-e", `${commit}^{commit}`], local);
  return asked.ok && asked.value.exitCode === 0;
}

async function moveRemoteBranch(
  place: TaskPlace,
  url: string,
  { branch, from, to }: BranchMove,
): Promise<Result<"done" | "moved", Failure>> {
  const ref = `refs/heads/${branch}`;
  const lease = `--force-with-lease=${ref}:${from ?? ""}`;
  const args = ["push", "--quiet", "--no-follow-tags", "--recurse-submodules=no", lease];
  const run = await tryGit([...args, "--", url, `${to ?? ""}:${ref}`], place.network);
  if (!run.ok) return run;
  if (run.value.exitCode === 0) return ok("done");
  const now = await remoteTip(place, url, branch);
  return now.ok ? afterwards({ now: now.value, from, to }, gitFailed(args, run.value.stderr)) : now;
}

/** What a move that was refused came to: git says the same of a lost race in many words, the branch says it in one. */
function afterwards(
  { now, from, to }: { now: string | null; from: string | null; to: string | null },
  reason: Failure,
): Result<"done" | "moved", Failure> {
  if (now === to) return ok("done");
  return now === from ? err(reason) : ok("moved");
}

/** A remote on a file system can be seen while another push changes it. */
async function patiently(
  args: readonly string[],
  options: TaskPlace["network"],
): Promise<Result<string, Failure>> {
  for (let tries = 3; ; tries -= 1) {
    const run = await runGit(args, options);
    if (run.ok || tries === 1) return run;
    await sleep(200);
  }
}

/** Whether one commit has the other in its history. */
export async function isAncestor(
  { local }: TaskPlace,
  commit: string,
  of: string,
): Promise<Result<boolean, Failure>> {
  const args = ["merge-base", "--is-ancestor", commit, of];
  const asked = await tryGit(args, local);
  if (!asked.ok) return asked;
  const { exitCode, stderr } = asked.value;
  return exitCode <= 1 ? ok(exitCode === 0) : err(gitFailed(args, stderr));
}

/** The tip of the integration branch. A missing one is made from the default branch; `made` names that. */
export async function integrationTip(
  place: TaskPlace,
  integration: string,
): Promise<Result<{ tip: string; made: string | null }, Failure>> {
  const found = await sharedBranch(place, integration);
  if (!found.ok) return found;
  if (found.value !== null) return ok({ tip: found.value, made: null });
  const origin = await defaultBranch(place);
  if (!origin.ok) return origin;
  const tip = await sharedBranch(place, origin.value);
  if (!tip.ok) return tip;
  if (tip.value === null) return err(noCommits(place));
  const moved = await moveSharedBranch(place, { branch: integration, from: null, to: tip.value });
  if (!moved.ok) return moved;
  if (moved.value === "moved") return integrationTip(place, integration);
  return ok({ tip: tip.value, made: origin.value });
}

async function defaultBranch(place: TaskPlace): Promise<Result<string, Failure>> {
  if (place.remote === null) {
    const head = await tryGit(["symbolic-ref", "--quiet", "--short", "HEAD"], place.local);
    if (!head.ok) return head;
    return head.value.exitCode === 0 ? ok(head.value.stdout.trim()) : err(noCommits(place));
  }
  const args = ["ls-remote", "--symref", "--", place.remote, "HEAD"];
  const listed = await patiently(args, place.network);
  if (!listed.ok) return listed;
  const [, name] = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed.value) ?? [];
  return name === undefined ? err(noCommits(place)) : ok(name);
}

function noCommits({ remote, root }: TaskPlace): Failure {
  return failure(
    "GIT_FAILED",
    `${remote ?? root} has no branch with a commit to begin from`,
    "commit something, push it if there is a remote, then try again",
  );
}
